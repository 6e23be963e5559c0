import { describe, expect, it } from "vitest";
import { dragged, gripAt, moved, type Window, zoomed } from "./brush";

const WHOLE: Window = [0, 1000];

describe("the brush", () => {
  it("tells edges, inside and outside apart", () => {
    const grip = (x: number) => gripAt(x, [300, 600], WHOLE, 1);
    expect([100, 297, 303, 450, 598, 604, 700].map(grip)).toEqual(["draw", "from", "from", "move", "to", "to", "draw"]);
    expect(gripAt(500, WHOLE, WHOLE, 1)).toBe("draw");
  });

  it("can move even when it is a few pixels wide", () => {
    expect(gripAt(304, [300, 308], WHOLE, 1)).toBe("move");
  });

  it("moves, resizes and draws within the run", () => {
    expect(dragged("move", [300, 600], 400, 2000, WHOLE)).toEqual([700, 1000]);
    expect(dragged("from", [300, 600], 300, 900, WHOLE)).toEqual([600, 600]);
    expect(dragged("to", [300, 600], 600, 9000, WHOLE)).toEqual([300, 1000]);
    expect(dragged("draw", [300, 600], 200, 50, WHOLE)).toEqual([50, 200]);
    expect(moved([300, 600], -400, WHOLE)).toEqual([0, 300]);
  });

  it("zooms about the pointer", () => {
    expect(zoomed([0, 1000], 250, 0.5, WHOLE)).toEqual([125, 625]);
    expect(zoomed([100, 200], 150, 100, WHOLE)).toEqual([0, 1000]);
  });
});
