/** The files that the server's own tests write: neither side can change these wire forms alone. */
/// <reference types="node" />
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { SceneError } from "./fields";
import { decodeActivity, decodeMoving } from "./motion";

function file(name: string): Buffer {
  return readFileSync(new URL(`./${name}`, import.meta.url));
}

function whole(bytes: Buffer): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

/** A file with another text in its header, of the same length. */
function changed(name: string, from: string, to: string): ArrayBuffer {
  const bytes = Buffer.from(file(name));
  const at = bytes.indexOf(from);
  expect(at, from).toBeGreaterThan(0);
  bytes.write(to.padEnd(from.length), at);
  return whole(bytes);
}

describe("what links do", () => {
  it("is read as the server meant it", () => {
    const { links, nodes, marks, ...rest } = decodeActivity(whole(file("small.activity")));
    expect(rest).toMatchObject({
      bins: 4,
      fade: 0.5,
      messages: 9,
      mostInFlight: 4000,
      window: [2 ** 55, 2 ** 55 + 20],
    });
    expect(rest.inFlight).toEqual(Uint32Array.of(0, 2, 2 ** 32 - 1, 1));
    expect(links).toMatchObject({ count: 2, largest: "2 KiB per 5 ns", sum: 300.5, sumText: "3 KiB" });
    expect(links.values).toEqual(Uint8Array.of(0, 255, 10, 20, 30, 40, 50, 60));
    expect(nodes.values.length).toBe(12);
    expect(marks).toMatchObject({ linkId: Uint32Array.of(1), nodeId: Uint32Array.of(2, 0), sizes: [460, 620] });
    expect(marks?.linkAt).toEqual(Float32Array.of(0, 0.5, 1000, 0.5));
  });

  it("is refused if it is broken", () => {
    expect(() => decodeActivity(whole(file("small.activity")).slice(0, -8))).toThrow(SceneError);
    expect(() => decodeActivity(changed("small.activity", '"bins":4', '"bins":5'))).toThrow(/elements instead of/);
    expect(() => decodeActivity(changed("small.activity", '"bins":4', '"bins":0'))).toThrow(/no bins/);
    expect(() => decodeActivity(changed("small.activity", "HACT".slice(1), "SCN"))).toThrow(/does not begin/);
  });
});

describe("messages on their way", () => {
  it("are read as the server meant it", () => {
    const moving = decodeMoving(whole(file("small.moving")));
    expect(moving).toMatchObject({ count: 2, inFlight: 1, note: null, selected: 7, selectedWay: [2, 4], dot: 0.125 });
    expect([moving.from, moving.until]).toEqual([2 ** 55, 2 ** 55 + 20]);
    expect(moving.row).toEqual(Float64Array.of(2 ** 40, 7));
    expect([moving.start, moving.end]).toEqual([Float64Array.of(-5, 3), Float64Array.of(10, 9)]);
    expect(moving.place.slice(8, 16)).toEqual(Float32Array.of(0, 2, 0.5, 0, NaN, NaN, NaN, 0.5));
    expect(moving.colours).toEqual([
      [0, 0, 255, 255],
      [255, 0, 0, 255],
    ]);
  });

  it("are refused if they are broken", () => {
    expect(() => decodeMoving(changed("small.moving", '"all_points":6', '"all_points":5'))).toThrow(SceneError);
    expect(() => decodeMoving(changed("small.moving", '"selected_way":[2,4]', '"selected_way":[4,4]'))).toThrow(
      /beyond/,
    );
    expect(() => decodeMoving(changed("small.moving", '"count":2', '"count":3'))).toThrow(/elements instead of/);
  });
});
