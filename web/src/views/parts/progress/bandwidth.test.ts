import { expect, it } from "vitest";
import { bandwidthAt, bandwidthWords, placeOf, stepped, stretches, USUAL_ENDS } from "./bandwidth";

it("places bandwidths by their logarithm, and back", () => {
  expect(placeOf(0.01, [0.001, 0.1])).toBeCloseTo(0.5);
  expect(placeOf(0.0001, [0.001, 0.1])).toBe(0);
  expect(placeOf(5, [0.001, 0.1])).toBe(1);
  expect(bandwidthAt(0.5, [0.001, 0.1])).toBe(0.01);
  for (const place of [0, 0.1, 0.37, 0.8, 1])
    expect(placeOf(bandwidthAt(place, USUAL_ENDS), USUAL_ENDS)).toBeCloseTo(place, 2);
});

it("steps to tidy numbers, comes back, and stays within the ends", () => {
  expect(stepped(0.01, 1, USUAL_ENDS)).toBe(0.012);
  expect(stepped(0.012, -1, USUAL_ENDS)).toBe(0.01);
  expect(stepped(0.45, 1, USUAL_ENDS)).toBe(0.5);
  expect(stepped(0.001, -1, USUAL_ENDS)).toBe(0.001);
  // No step stands still.
  for (let now = 0.001; now < 0.5; ) {
    const next = stepped(now, 1, USUAL_ENDS);
    expect(next).toBeGreaterThan(now);
    now = next;
  }
});

it("writes bandwidths with three decimals or four", () => {
  expect([0.03, 0.0105, 0.5].map(bandwidthWords)).toEqual(["0.030", "0.0105", "0.500"]);
});

it("joins what gives the same number of groups", () => {
  const tried = [
    [0.001, 4],
    [0.01, 4],
    [0.1, 2],
    [1, 1],
  ] as const;
  const all = stretches(tried);
  expect(all.map(({ groups }) => groups)).toEqual([4, 2, 1]);
  expect(all.map(({ from }) => from.toFixed(3))).toEqual(["0.000", "0.500", "0.833"]);
  expect(all.at(-1)?.to).toBe(1);
  expect(stretches([])).toEqual([]);
  expect(stretches([[0.01, 3]])).toEqual([]);
});
