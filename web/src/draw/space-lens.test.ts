/// <reference types="node" />
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Bounds, Point3 } from "../scene/space";
import { type Camera, lensOf, moved, see, turned, zoomed } from "./space-lens";

const BOUNDS: Bounds = { low: [-2, -2, -2], high: [3, 2, 6] };
const CAMERA: Camera = { around: 35, above: 22, zoom: 1, aim: [0, 0, 0] };

function corners({ low, high }: Bounds): Point3[] {
  const both = [low, high] as const;
  return both.flatMap((x) => both.flatMap((y) => both.map((z): Point3 => [x[0], y[1], z[2]])));
}

describe("a lens", () => {
  it("sees what the one in Rust sees", () => {
    const lines = readFileSync(new URL("./lens.txt", import.meta.url), "utf8")
      .trim()
      .split("\n")
      .slice(1);
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) {
      const [around = 0, above = 0, zoom = 0, ax = 0, ay = 0, az = 0, width = 0, height = 0, ...rest] = line
        .split(" ")
        .map(Number);
      const [x = 0, y = 0, z = 0, plan = 0, ...seen] = rest;
      const lens = lensOf({ ...BOUNDS, isPlan: plan > 0 }, { around, above, zoom, aim: [ax, ay, az] }, width, height);
      const found = see(lens, [x, y, z]);
      [found?.x, found?.y, found?.depth].forEach((value, at) => {
        expect(value, line).toBeCloseTo(seen[at] ?? Number.NaN, 2);
      });
    }
  });

  it("has everything in view from any side", () => {
    for (const [width, height] of [
      [800, 600],
      [300, 900],
    ] as const) {
      for (let around = -180; around <= 180; around += 24) {
        for (const above of [-90, -40, 0, 22, 90]) {
          const lens = lensOf(BOUNDS, { ...CAMERA, around, above }, width, height);
          for (const corner of corners(BOUNDS)) {
            const seen = see(lens, corner);
            expect(seen && seen.x >= 0 && seen.x <= width && seen.y >= 0 && seen.y <= height).toBe(true);
          }
        }
      }
    }
  });

  it("sees nothing behind itself", () => {
    const { eye, forward } = lensOf(BOUNDS, CAMERA, 800, 600);
    const behind: Point3 = [eye[0] - forward[0], eye[1] - forward[1], eye[2] - forward[2]];
    expect(see(lensOf(BOUNDS, CAMERA, 800, 600), behind)).toBeNull();
  });
});

describe("a camera", () => {
  it("turns by half a turn across the picture, and not over the top", () => {
    expect(turned(CAMERA, { x: 400, y: 0 }, 800)).toMatchObject({ around: -55, above: 22 });
    expect(turned(CAMERA, { x: 0, y: 4000 }, 800).above).toBe(90);
    expect(turned({ ...CAMERA, around: -170 }, { x: 100, y: 0 }, 800).around).toBeCloseTo(167.5);
  });

  it("moves what is in the middle with the hand", () => {
    const lens = lensOf(BOUNDS, CAMERA, 800, 600);
    const next = lensOf(BOUNDS, moved(CAMERA, lens, { x: 30, y: -20 }), 800, 600);
    const seen = see(next, [0.5, 0, 2]);
    expect(seen?.x).toBeCloseTo(430);
    expect(seen?.y).toBeCloseTo(280);
  });

  it("comes closer to what is under the pointer", () => {
    const lens = lensOf(BOUNDS, CAMERA, 800, 600);
    const camera = zoomed(CAMERA, lens, { x: 600, y: 200 }, 2);
    expect(camera.zoom).toBe(2);
    const next = lensOf(BOUNDS, camera, 800, 600);
    // The place in the plane of the middle that was there is still there.
    const units = lens.away / lens.focal;
    const at = [0, 1, 2].map(
      (axis) => ([0.5, 0, 2][axis] ?? 0) + 200 * units * (lens.right[axis] ?? 0) + 100 * units * (lens.up[axis] ?? 0),
    ) as unknown as Point3;
    expect(see(lens, at)).toMatchObject({ x: expect.closeTo(600), y: expect.closeTo(200) });
    expect(see(next, at)).toMatchObject({ x: expect.closeTo(600), y: expect.closeTo(200) });
    expect(zoomed(CAMERA, lens, { x: 0, y: 0 }, 1e9).zoom).toBe(100);
  });
});
