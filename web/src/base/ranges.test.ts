import { expect, it } from "vitest";
import { BYTES, DURATIONS, parseRange, rangeWords } from "./ranges";

const LONGEST = 1e12;
const parseDurations = (text: string) => parseRange(text, DURATIONS, LONGEST);
const parseBytes = (text: string) => parseRange(text, BYTES, LONGEST);

it("reads ranges as people write them", () => {
  expect(parseDurations("")).toBeNull();
  expect(parseDurations("1 ms - 2 s")).toEqual([1e6, 2e9]);
  expect(parseDurations("10us-")).toEqual([10_000, LONGEST]);
  expect(parseDurations("– 5ms")).toEqual([0, 5e6]);
  expect(parseDurations("71–809 ms")).toEqual([71e6, 809e6]);
  expect(parseDurations("1.5 µs to 3 µs")).toEqual([1500, 3000]);
});

it("says what is wrong", () => {
  for (const wrong of ["5 ms", "x-y", "3 s - 2 s", "-", "1-2"]) expect(parseDurations(wrong)).toBeTypeOf("string");
});

it("writes what it can read", () => {
  for (const range of [
    [0, 5e6],
    [1e6, LONGEST],
    [1500, 2_500_000_000],
  ] as [number, number][]) {
    expect(parseDurations(rangeWords(range, DURATIONS, LONGEST))).toEqual(range);
  }
  expect(rangeWords([1e6, 2e9], DURATIONS, LONGEST)).toBe("1 ms – 2 s");
});

it("reads and writes bytes", () => {
  expect(parseBytes("1 KiB - 64k")).toEqual([1024, 65_536]);
  expect(parseBytes("8192 - 8192")).toEqual([8192, 8192]);
  expect(parseBytes("1.5M-")).toEqual([1_572_864, LONGEST]);
  for (const wrong of ["64", "1 ms - 2 ms", "2k - 1k"]) expect(parseBytes(wrong)).toBeTypeOf("string");
  for (const range of [
    [0, 65_536],
    [100, LONGEST],
    [2048, 3 * 1024 ** 2],
  ] as [number, number][]) {
    expect(parseBytes(rangeWords(range, BYTES, LONGEST))).toEqual(range);
  }
});
