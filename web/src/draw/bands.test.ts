import { describe, expect, it } from "vitest";
import type { BandLayer, Rgba } from "../scene/types";
import { TRAPEZOID, trapezoids } from "./bands";

const plot = { x: 10, y: 0, width: 3, height: 100 };
const palette: Rgba[] = [
  [0, 0, 0, 255],
  [0, 0, 0, 128],
];

function layer(...bands: [colour: number, upper: number[], lower: number[]][]): BandLayer {
  return {
    kind: "bands",
    columns: 3,
    bands: bands.map(([colour, upper, lower]) => ({
      colour,
      upper: new Float32Array(upper),
      lower: new Float32Array(lower),
    })),
  };
}

function shapes(made: BandLayer): number[][] {
  const { count, shape } = trapezoids(made, plot, palette);
  return Array.from({ length: count }, (_, at) => [...shape.subarray(at * TRAPEZOID, (at + 1) * TRAPEZOID)]);
}

describe("trapezoids", () => {
  it("run from sample to sample; the last one holds", () => {
    expect(shapes(layer([0, [10, 20, 30], [40, 50, 60]]))).toEqual([
      [10, 11, 10, 20, 40, 50],
      [11, 12, 20, 30, 50, 60],
      [12, 13, 30, 30, 60, 60],
    ]);
  });

  it("leave a gap where there is no number", () => {
    expect(shapes(layer([0, [10, Number.NaN, 30], [40, 50, 60]]))).toEqual([
      [10, 11, 10, 10, 40, 40],
      [12, 13, 30, 30, 60, 60],
    ]);
  });

  it("reach a pixel under the next band, if that covers them", () => {
    const [first] = shapes(layer([0, [50, 50, 50], [80, 80, 80]], [0, [20, 20, 20], [50, 50, 50]]));
    expect(first).toEqual([10, 11, 49, 49, 80, 80]);
    const [beneath] = shapes(layer([0, [50, 50, 50], [80, 80, 80]], [1, [20, 20, 20], [50, 50, 50]]));
    expect(beneath).toEqual([10, 11, 50, 50, 80, 80]);
  });
});
