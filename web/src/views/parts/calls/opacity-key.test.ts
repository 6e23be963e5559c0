import { expect, it } from "vitest";
import { keyTicks } from "./opacity-key";

it("has powers of ten and the most, and survives a single call", () => {
  expect(keyTicks(6200).map(({ text }) => text)).toEqual(["1", "10", "100", "1 k", "6.2 k"]);
  expect(keyTicks(1)).toEqual([{ at: 1, text: "1" }]);
});
