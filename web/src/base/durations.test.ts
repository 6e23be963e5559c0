import { expect, it } from "vitest";
import { durationsWords, parseDurations } from "./durations";

const LONGEST = 1e12;

it("reads ranges as people write them", () => {
  expect(parseDurations("", LONGEST)).toBeNull();
  expect(parseDurations("1 ms - 2 s", LONGEST)).toEqual([1e6, 2e9]);
  expect(parseDurations("10us-", LONGEST)).toEqual([10_000, LONGEST]);
  expect(parseDurations("– 5ms", LONGEST)).toEqual([0, 5e6]);
  expect(parseDurations("71–809 ms", LONGEST)).toEqual([71e6, 809e6]);
  expect(parseDurations("1.5 µs to 3 µs", LONGEST)).toEqual([1500, 3000]);
});

it("says what is wrong", () => {
  for (const wrong of ["5 ms", "x-y", "3 s - 2 s", "-", "1-2"])
    expect(parseDurations(wrong, LONGEST)).toBeTypeOf("string");
});

it("writes what it can read", () => {
  for (const range of [
    [0, 5e6],
    [1e6, LONGEST],
    [1500, 2_500_000_000],
  ] as [number, number][]) {
    expect(parseDurations(durationsWords(range, LONGEST), LONGEST)).toEqual(range);
  }
  expect(durationsWords([1e6, 2e9], LONGEST)).toBe("1 ms – 2 s");
});
