/** The file that the server's own tests write: neither side can change the wire form alone. */
/// <reference types="node" />
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { decodeScene } from "./decode";

it("a scene of the server is read as it was meant", () => {
  const file = readFileSync(new URL("./small.scene", import.meta.url));
  const scene = decodeScene(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer);
  expect(scene.title).toBe('a "title" · µs');
  expect(scene.plot).toEqual({ x: 40, y: 20, width: 100, height: 50 });
  expect(scene.x.kind).toBe("time");
  expect(scene.x.to).toBe(2 ** 55 + 10 - 2);
  expect([scene.y.from, scene.y.to, scene.y.count]).toEqual([3, 7, 16384]);
  expect(scene.y.scale).toBeNull();
  const [raster, rects, bands, segments, discs, density] = scene.layers;
  expect(raster).toMatchObject({
    kind: "raster",
    columns: 3,
    rows: 2,
    strength: Uint8Array.of(0, 64, 128, 192, 255, 1),
  });
  expect(rects).toMatchObject({ kind: "rects", rect: Float32Array.of(40, 20, 10.5, 5, 60, 30, 0.5, 2) });
  expect(bands).toMatchObject({ kind: "bands", bands: [{ upper: Float32Array.of(30, 31.5, 20.25) }] });
  expect(segments).toMatchObject({ kind: "segments", line: Float32Array.of(41.5, 22, 90.25, 60, 1.5) });
  expect(discs).toMatchObject({ kind: "discs", disc: Float32Array.of(52.5, 33, 4.5), colour: Uint16Array.of(3) });
  expect(density).toMatchObject({
    kind: "density",
    columns: 200,
    rows: 2,
    most: 300,
    map: "log",
    least: 0.25,
    place: Uint32Array.of(3, 203, 204),
    count: Uint32Array.of(300, 1, 2),
    colour: Uint8Array.of(0, 113, 178, 215, 93, 0, 105, 105, 89),
  });
  expect(scene.beside).toMatchObject({ count: 1, rect: Float32Array.of(150, 25, 8, 4.5), colour: Uint16Array.of(2) });
  expect(scene.labels[0]?.text).toBe("<b>MPI_Recv</b>");
});
