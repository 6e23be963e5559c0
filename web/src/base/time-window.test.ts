import { describe, expect, it } from "vitest";
import { parseTimeWindow } from "./time-window";

const RUN = [0, 2e9] as const;
const parse = (text: string) => parseTimeWindow(text, RUN);

describe("a window of time as people type it", () => {
  it("has two ends, however they are parted", () => {
    const texts = [
      "12.5ms 13ms",
      "12.5 ms .. 13 ms",
      "12.5..13ms",
      "12.5 13 ms",
      "12.5ms-13ms",
      "12.5ms:13ms",
      "12.5 to 13 ms",
    ];
    for (const text of [...texts, "12.5–13 ms", "12,500 13,000 us", "12500000 13000000", " 0.0125 s … 13ms "])
      expect(parse(text), text).toEqual([12.5e6, 13e6]);
  });

  it("may be a beginning and a length", () => {
    expect(parse("1.2s +300us")).toEqual([1.2e9, 1.2003e9]);
    expect(parse("1.2 + 0.3 s")).toEqual([1.2e9, 1.5e9]);
    expect(parse("100 +50")).toEqual([100, 150]);
  });

  it("may leave an end to the run", () => {
    expect(parse("1.5s:")).toEqual([1.5e9, 2e9]);
    expect(parse("..40us")).toEqual([0, 40e3]);
    expect(parse("0 13ms")).toEqual([0, 13e6]);
    expect(parse("1s 9s")).toEqual([1e9, 2e9]);
  });

  it("says what is wrong", () => {
    expect(parse("")).toContain("where it begins");
    expect(parse("5ms")).toContain("where it begins");
    expect(parse("5ms 6ms 7ms")).toContain("not a time");
    expect(parse("5 parsecs 6ms")).toContain("“5 parsecs” is not a time");
    expect(parse("13ms 12ms")).toContain("begin before");
    expect(parse("1ms +0")).toContain("begin before");
    expect(parse("3s 4s")).toContain("The run ends at 2.000 s");
  });
});
