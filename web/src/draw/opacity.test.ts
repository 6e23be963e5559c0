import { describe, expect, it } from "vitest";
import { type OpacityMap, opacity } from "./opacity";

const at = (map: OpacityMap, least: number, count: number, most: number, each = 0.1) =>
  opacity({ map, least }, count, most, each);

describe("opacity", () => {
  it("follows the formulas", () => {
    expect(at("linear", 0.2, 25, 100)).toBeCloseTo(0.4);
    expect(at("log", 0.2, 10, 100)).toBeCloseTo(0.6);
    expect(at("log", 0, 1, 100)).toBe(0);
  });
  it("draws nothing where nothing is", () => {
    for (const map of ["log", "linear", "alpha"] as const) {
      expect(at(map, 0.4, 0, 100)).toBe(0);
      expect(at(map, 0.4, 0, 0)).toBe(0);
    }
  });
  it("divides nothing by zero where no calls overlap", () => {
    expect(at("log", 0.2, 1, 1)).toBe(1);
    expect(at("linear", 0.2, 1, 1)).toBe(1);
  });
  it("never loses an outlier beside a million, unless calls are blended", () => {
    for (const map of ["log", "linear"] as const) {
      expect(at(map, 0.2, 1, 1e6)).toBeGreaterThanOrEqual(0.2);
      expect(at(map, 0.2, 1, 1e6)).toBeLessThan(0.201);
      expect(at(map, 0.2, 1e6, 1e6)).toBe(1);
    }
    expect(at("alpha", 0.2, 1, 1e6, 1e-3)).toBe(0);
  });
  it("blends in eight bits", () => {
    expect(at("alpha", 0, 1, 9, 0.5)).toBeCloseTo(128 / 255);
    expect(at("alpha", 0, 2, 9, 0.5)).toBeCloseTo(192 / 255);
    const crowd = at("alpha", 0, 1e6, 1e6, 0.01);
    expect(crowd).toBe(at("alpha", 0, 1000, 1e6, 0.01));
    expect(crowd).toBeLessThan(0.9);
  });
  it("is harmless with wild numbers", () => {
    expect(at("linear", 7, 1, 10)).toBe(1);
    expect(at("log", 0.5, 20, 10)).toBe(1);
  });
});
