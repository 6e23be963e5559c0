import { expect, it } from "vitest";
import { edgesOf } from "./plane";

it("shows what is asked for in the middle, in one scale", () => {
  expect(edgesOf({ width: 100, height: 100 }, [0, 50], [0, 50])).toEqual({ across: [0, 50], down: [0, 50] });
  // A wide plot shows more at both sides.
  expect(edgesOf({ width: 200, height: 100 }, [0, 50], [0, 50])).toEqual({ across: [-25, 75], down: [0, 50] });
  expect(edgesOf({ width: 100, height: 100 }, [10, 20], [0, 40])).toEqual({ across: [-5, 35], down: [0, 40] });
});

it("stays what it is without a plot", () => {
  expect(edgesOf({ width: 0, height: 0 }, [1, 3], [2, 8])).toEqual({ across: [1, 3], down: [2, 8] });
});
