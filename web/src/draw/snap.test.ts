import { describe, expect, it } from "vitest";
import { stretch, tickPixel } from "./snap";

function pixels(start: number, length: number, ratio = 1): [number, number] | null {
  const out = { from: 0, to: 0 };
  return stretch(start, length, 10, 100, ratio, out) ? [out.from, out.to] : null;
}

describe("stretch", () => {
  it("rounds edges, so that neighbours meet", () => {
    expect(pixels(20.4, 5.2)).toEqual([20, 26]);
    expect(pixels(25.6, 4)).toEqual([26, 30]);
  });

  it("gives everything in the plot a pixel", () => {
    expect(pixels(20.7, 0.1)).toEqual([20, 21]);
    expect(pixels(20.7, 0)).toEqual([20, 21]);
    expect(pixels(99.9, 50)).toEqual([99, 100]);
    expect(pixels(100, 0)).toEqual([99, 100]);
    expect(pixels(20.7, 0.1, 2)).toEqual([41, 43]);
  });

  it("cuts at the plot and leaves out what is outside", () => {
    expect(pixels(0, 20)).toEqual([10, 20]);
    expect(pixels(0, 10)).toBeNull();
    expect(pixels(100, 5)).toBeNull();
    expect(pixels(Number.NaN, 5)).toBeNull();
    expect(pixels(20, -5)).toBeNull();
  });
});

describe("tickPixel", () => {
  it("moves ticks and drops those that left the plot", () => {
    const tick = { at: 50, label: "" };
    expect(tickPixel(tick, 1, 0.7, 10, 100)).toBe(50);
    expect(tickPixel(tick, 2, 0, 10, 100)).toBe(99);
    expect(tickPixel(tick, 2, 1, 10, 100)).toBeNull();
    expect(tickPixel(tick, 1, -41, 10, 100)).toBeNull();
  });
});
