import { describe, expect, it } from "vitest";
import { parseValue } from "./values";

describe("a value", () => {
  it("is read in the unit it is written in", () => {
    expect(parseValue("1.5 ms", "ns")).toBe(1_500_000);
    expect(parseValue("200us", "ns")).toBe(200_000);
    expect(parseValue(" 12,000 ", "")).toBe(12_000);
    expect(parseValue("7 B", "B")).toBe(7);
    expect(parseValue("0", "ns")).toBe(0);
  });

  it("is refused when nobody can know what it means", () => {
    for (const text of ["", "5", "5 parsecs", "-1 ms", "1 ms 2", "ms"]) expect(parseValue(text, "ns")).toBeNull();
    expect(parseValue("5 ms", "B")).toBeNull();
  });
});
