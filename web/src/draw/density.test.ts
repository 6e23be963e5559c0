import { expect, it } from "vitest";
import type { DensityLayer } from "../scene/types";
import { denseColours, denseCounts, paintDensity } from "./density";

const LAYER: DensityLayer = {
  kind: "density",
  columns: 3,
  rows: 2,
  most: 100,
  map: "log",
  alpha: 0.5,
  least: 0.2,
  place: Uint32Array.of(1, 5),
  count: Uint32Array.of(100, 10),
  colour: Uint8Array.of(10, 20, 30, 40, 50, 60),
};

it("cells lie where they belong", () => {
  expect([...denseCounts(LAYER)]).toEqual([0, 100, 0, 0, 0, 10]);
  const colours = denseColours(LAYER);
  expect([...colours.subarray(4, 8)]).toEqual([10, 20, 30, 0]);
  expect([...colours.subarray(20, 24)]).toEqual([40, 50, 60, 0]);
});

it("cells are painted with the opacity of the page, not of the scene", () => {
  const pixels = new Uint8ClampedArray(24);
  paintDensity(LAYER, { map: "linear", least: 0 }, pixels);
  expect([...pixels.subarray(4, 8)]).toEqual([10, 20, 30, 255]);
  expect([...pixels.subarray(20, 24)]).toEqual([40, 50, 60, 26]);
  expect([...pixels.subarray(0, 4)]).toEqual([0, 0, 0, 0]);
});
