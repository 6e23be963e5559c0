/** The file that the server's own tests write: neither side can change the wire form of scenes in space alone. */
/// <reference types="node" />
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { SceneError } from "./fields";
import { decodeSpace } from "./space";

function small(): ArrayBuffer {
  const file = readFileSync(new URL("./small.space", import.meta.url));
  return file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer;
}

/** The same with another text in its header, of the same length. */
function changed(from: string, to: string): ArrayBuffer {
  const bytes = Buffer.from(small());
  const at = bytes.indexOf(from);
  expect(at, from).toBeGreaterThan(0);
  bytes.write(to.padEnd(from.length), at);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

describe("a scene in space", () => {
  it("is read as the server meant it", () => {
    const { space, palette, notes } = decodeSpace(small());
    expect([palette.length, notes]).toEqual([6, ["Nothing was left out."]]);
    const [boxes, spheres, tubes] = space.groups;
    expect(boxes).toMatchObject({ of: "node", kind: "boxes", count: 2, id: Uint32Array.of(7, 70_000) });
    expect(boxes?.place).toEqual(Float32Array.of(0, 1, 2, 0.25, 0.5, 0.75, -1.5, 0, 0, 1, 1, 1));
    expect(spheres).toMatchObject({ of: "rank", kind: "spheres", place: Float32Array.of(3, 2, 1, 0.5) });
    expect(tubes).toMatchObject({ of: "link", kind: "tubes", place: Float32Array.of(0, 0, 0, 1, 0, 0, 0.125) });
    expect(tubes?.colour).toEqual(Uint16Array.of(3));
    expect(space.labels).toEqual([{ at: [0.5, 0.25, -1], text: "<i>x 0</i>", colour: 1 }]);
    expect(space.axes).toEqual([{ towards: [0, 0, 1], name: "z", colour: 3 }]);
    expect(space.bounds).toEqual({ low: [-2, -0.5, -0.5], high: [3.5, 2.5, 2.5], isPlan: true });
    expect(space.turn).toEqual([35, 22]);
  });

  it("is refused if it is broken", () => {
    expect(() => decodeSpace(small().slice(0, -8))).toThrow(SceneError);
    expect(() => decodeSpace(changed('"kind":"boxes"', '"kind":"cones"'))).toThrow(/none of boxes/);
    expect(() => decodeSpace(changed('"count":2', '"count":3'))).toThrow(/elements instead of/);
    expect(() => decodeSpace(changed('"of":"link"', '"of":"wire"'))).toThrow(/none of node/);
    expect(() => decodeSpace(changed("HSC3".slice(1), "SCN"))).toThrow(/does not begin/);
  });
});
