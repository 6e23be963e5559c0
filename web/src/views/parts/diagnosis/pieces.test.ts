import { expect, it } from "vitest";
import { figureIn } from "./pieces";

it("sets off the figure that one looks for", () => {
  expect(figureIn(" takes 3.16 ms, elsewhere 1.75 ms: 1.80×.")).toEqual([
    " takes ",
    "3.16 ms",
    ", elsewhere 1.75 ms: 1.80×.",
  ]);
  expect(figureIn("Without it: 0.535 s, 103 ms less.")).toEqual(["Without it: 0.535 s, ", "103 ms less", "."]);
  expect(figureIn("all 8 ranks, 5 steps, 3 s/visit")).toEqual(["all 8 ranks, 5 steps, 3 s/visit", "", ""]);
});
