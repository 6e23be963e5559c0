import { expect, it } from "vitest";
import { beside } from "./tooltip";

it("stands after the pointer where there is room, else before it, and never leaves the window", () => {
  expect(beside(100, 14, 200, 1000)).toBe(114);
  expect(beside(900, 14, 200, 1000)).toBe(686);
  expect(beside(150, 14, 900, 1000)).toBe(6);
  expect(beside(10, 14, 2000, 1000)).toBe(6);
});
