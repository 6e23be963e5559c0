import { describe, expect, it } from "vitest";
import { decodeScene } from "../scene/decode";
import { ArrayWriter, emptyHeader } from "../scene/encode-for-tests";
import { IDENTITY, toCanvas, toScene, viewOf } from "./view";

/** 400 x 300, plot 64, 10, 320 x 260, time 0 to 2 s, rows 0 to 4. */
const scene = decodeScene(new ArrayWriter().message(emptyHeader()));
const canvas = { width: 400, height: 300, ratio: 1 };

describe("viewOf", () => {
  it("is the scene itself for its own window", () => {
    expect(viewOf(scene, canvas, [0, 2e9], [0, 4])).toMatchObject({ ...canvas, plot: scene.plot, move: IDENTITY });
    expect(viewOf(scene, canvas, null, null).move).toEqual(IDENTITY);
  });

  it("moves marks to where they belong in another window", () => {
    const { move } = viewOf(scene, canvas, [5e8, 1.5e9], [1, 3]);
    const seconds = (time: number) => 64 + (time / 2) * 320;
    // Half a second is at the left edge now, one and a half at the right; row 1 is at the upper edge.
    expect(seconds(0.5) * move.scaleX + move.offsetX).toBeCloseTo(64);
    expect(seconds(1.5) * move.scaleX + move.offsetX).toBeCloseTo(384);
    expect((10 + 65) * move.scaleY + move.offsetY).toBeCloseTo(10);
  });

  it("moves steps as it moves time", () => {
    const x = { ...(emptyHeader().x as object), kind: "steps", from: "10", to: "20", count: 100 };
    const steps = decodeScene(new ArrayWriter().message({ ...emptyHeader(), x }));
    const { move } = viewOf(steps, canvas, [15, 20], null);
    expect((64 + 160) * move.scaleX + move.offsetX).toBeCloseTo(64);
  });

  it("stretches the plot when the canvas grows, and keeps the margins", () => {
    const { plot, move } = viewOf(scene, { width: 720, height: 300, ratio: 2 }, [0, 2e9], [0, 4]);
    expect(plot).toEqual({ x: 64, y: 10, width: 640, height: 260 });
    expect(toCanvas(move, scene.plot)).toEqual(plot);
  });

  it("finds the way back", () => {
    const { move } = viewOf(scene, canvas, [3e8, 4e8], [2, 3]);
    const there = toCanvas(move, { x: 100, y: 50, width: 0, height: 0 });
    const back = toScene(move, there);
    expect(back.x).toBeCloseTo(100);
    expect(back.y).toBeCloseTo(50);
  });

  it("does not divide by an empty window", () => {
    expect(viewOf(scene, canvas, [5, 5], [1, 1]).move).toEqual(IDENTITY);
  });
});
