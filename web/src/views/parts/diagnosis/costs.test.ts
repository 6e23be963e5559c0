import { describe, expect, it } from "vitest";
import { costsOf } from "./costs";
import { TOLD } from "./told-for-tests";

const fixed = (value: number) => value.toFixed(1);

describe("what functions cost", () => {
  it("has the figure of its card where a part is all of a finding", () => {
    const parts = costsOf(TOLD).rows.flatMap((row) => row.parts);
    for (const { number, cost_text } of TOLD.findings)
      expect(`${fixed(parts.find(({ finding }) => finding === number)?.cost ?? 0)} %`).toBe(cost_text);
  });

  it("adds up as it is read: parts to functions, functions to all waiting", () => {
    const { rows, total } = costsOf(TOLD);
    const read = (value: number) => Number(fixed(value));
    for (const { parts, cost } of rows.filter(({ parts: all }) => all.length > 0))
      expect(parts.reduce((sum, part) => sum + read(part.cost), 0)).toBeCloseTo(read(cost), 6);
    expect(rows.reduce((sum, { cost }) => sum + read(cost), 0)).toBeCloseTo(read(total), 6);
    const exact = TOLD.functions.reduce((sum, { cost_share }) => sum + cost_share, 0);
    expect(fixed(total)).toBe(fixed(exact * 100));
  });

  it("gathers functions that round to nothing", () => {
    const tiny = { region: 9, name: "tiny", time_share: 0.0001, cost_share: 0, parts: [] };
    const { rows } = costsOf({ ...TOLD, functions: [...TOLD.functions, tiny, { ...tiny, name: "tinier" }] });
    expect(rows.map(({ name }) => name).slice(-2)).toEqual(["post", "2 others"]);
  });

  it("gathers functions beyond the first as one, without losing what they take", () => {
    const one = TOLD.functions[3];
    if (one === undefined) throw new Error("the test needs a function");
    const many = Array.from({ length: 40 }, (_, at) => ({
      ...one,
      name: `f${at}`,
      time_share: 0.01,
      cost_share: 0.001,
    }));
    const { rows, total } = costsOf({ ...TOLD, functions: many });
    expect(rows).toHaveLength(8);
    expect(rows.at(-1)).toMatchObject({ told: null, name: "33 others" });
    expect(fixed(total)).toBe("4.0");
    expect(fixed(rows.reduce((sum, { time }) => sum + time, 0))).toBe("40.0");
  });
});
