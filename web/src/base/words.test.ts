import { expect, it } from "vitest";
import { capital, joined } from "./words";

it("joins words with commas, and the last one with a word", () => {
  expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map((words) => joined(words))).toEqual([
    "",
    "a",
    "a and b",
    "a, b and c",
  ]);
  expect(joined(["a", "b", "c"], "or")).toBe("a, b or c");
  expect([capital("the end"), capital("")]).toEqual(["The end", ""]);
});
