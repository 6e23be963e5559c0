import { expect, it } from "vitest";
import { isEmptyScene } from "./empty";
import type { Layer, Scene } from "./types";

const PLOT = { x: 10, y: 5, width: 100, height: 50 };
const isEmpty = (...layers: Layer[]) => isEmptyScene({ plot: PLOT, background: 0, layers } as Scene);
const rects = (...all: [number, number, number, number][]): Layer => ({
  kind: "rects",
  count: all.length,
  rect: new Float32Array(all.flat()),
  colour: new Uint8Array(all.length),
});
const GROUND = rects([10, 5, 100, 50]);

it("takes the ground of a plot for nothing, and a single narrow call for something", () => {
  expect(isEmpty()).toBe(true);
  expect(isEmpty(GROUND, rects())).toBe(true);
  expect(isEmpty(GROUND, rects([60, 5, 1, 50]))).toBe(false);
  // One call that fills the window, over the ground.
  expect(isEmpty(rects([10, 5, 100, 50], [10, 5, 100, 50]))).toBe(false);
});

it("looks into layers of all kinds", () => {
  const line: Layer = { kind: "segments", count: 1, line: new Float32Array(5), colour: new Uint8Array(1) };
  const raster = (strength: number): Layer => ({
    kind: "raster",
    columns: 1,
    rows: 1,
    colour: new Uint8Array(1),
    strength: new Uint8Array([strength]),
  });
  const bands = (upper: number, colour = 1): Layer => ({
    kind: "bands",
    columns: 1,
    bands: [{ colour, upper: new Float32Array([upper]), lower: new Float32Array([50]) }],
  });
  const density = (...place: number[]): Layer => ({
    kind: "density",
    columns: 4,
    rows: 4,
    most: 1,
    map: "log",
    alpha: 1,
    least: 0,
    place: new Uint32Array(place),
    count: new Uint32Array(place.length),
    colour: new Uint8Array(3 * place.length),
  });
  expect([line, raster(9), bands(20), density(3)].map((layer) => isEmpty(GROUND, layer))).toEqual(Array(4).fill(false));
  // The place of hidden functions stays bare.
  expect(isEmpty(GROUND, bands(20, 0))).toBe(true);
  // Lines between cells are no cells.
  expect(isEmpty(density(), rects([0, 0, 100, 1]))).toBe(true);
  expect(isEmpty(raster(0), rects([0, 0, 100, 1], [0, 9, 100, 1]))).toBe(true);
  expect([raster(0), bands(50), bands(Number.NaN), density()].map((layer) => isEmpty(layer))).toEqual(
    Array(4).fill(true),
  );
});
