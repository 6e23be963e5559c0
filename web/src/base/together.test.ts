import { describe, expect, it } from "vitest";
import { roundedTogether } from "./together";

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

describe("figures that are rounded together", () => {
  it("add up to their rounded sum, where each alone would not", () => {
    const thirds = roundedTogether([33.333, 33.333, 33.334], 0.1);
    expect(thirds.map((one) => one.toFixed(1))).toEqual(["33.3", "33.3", "33.4"]);
    expect(sum(thirds)).toBeCloseTo(100, 9);
    expect(roundedTogether([0.25, 0.25, 0.25, 0.25], 0.1).map((one) => one.toFixed(1))).toEqual([
      "0.3",
      "0.3",
      "0.2",
      "0.2",
    ]);
  });

  it("add up to what somebody else says of all of them", () => {
    expect(sum(roundedTogether([1.04, 2.04], 0.1, 3.1))).toBeCloseTo(3.1, 9);
  });

  it("are off by less than a step each, whatever the total is", () => {
    expect(roundedTogether([1.04, 2.04], 0.1, 9)).toEqual([1.1, 2.1].map((one) => expect.closeTo(one, 9)));
    expect(roundedTogether([0, 0.1], 0.1, 0)).toEqual([0, 0]);
  });

  it("keep what is exact", () => {
    expect(roundedTogether([0.3, 0.6, 0.1], 0.1).map((one) => one.toFixed(1))).toEqual(["0.3", "0.6", "0.1"]);
    expect(roundedTogether([], 0.1)).toEqual([]);
  });
});
