import { expect, it } from "vitest";
import { instantAfter, nextSteps, sameInstant } from "./time-steps";

it("goes through round numbers of steps", () => {
  expect([nextSteps(20, 1), nextSteps(20, -1), nextSteps(17, 1), nextSteps(17, -1)]).toEqual([25, 15, 20, 15]);
  expect([nextSteps(1, -1), nextSteps(1000, 1)]).toEqual([1, 1000]);
});

it("finds the same moment in another division of the run", () => {
  expect([sameInstant(5, 20, 40), sameInstant(5, 20, 10), sameInstant(20, 20, 3)]).toEqual([10, 3, 3]);
});

it("finds the first instant after a moment", () => {
  expect([instantAfter([0, 10, 20], 11), instantAfter([0, 10, 20], 10), instantAfter([0, 10, 20], 99)]).toEqual([
    2, 1, 2,
  ]);
});
