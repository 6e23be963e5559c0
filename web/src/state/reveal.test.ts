import { describe, expect, it } from "vitest";
import { reveal } from "./reveal";

describe("reveal", () => {
  it("stays where the target is in sight", () => {
    expect(reveal([100, 200], [110, 120])).toEqual([100, 200]);
    expect(reveal([100, 200], [0, 1000])).toEqual([100, 200]);
  });
  it("moves with the zoom kept, the target in the middle", () => {
    expect(reveal([100, 200], [500, 520])).toEqual([460, 560]);
    expect(reveal([100, 200], [190, 210])).toEqual([150, 250]);
  });
  it("shows the beginning of what is longer than the window", () => {
    expect(reveal([100, 200], [1000, 2000])).toEqual([990, 1090]);
  });
});
