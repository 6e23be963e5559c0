import { expect, it } from "vitest";
import { type Camera, lensOf } from "../draw/space-lens";
import type { Bounds } from "../scene/space";
import { flown, looked } from "./space-fly";

const bounds: Bounds = { low: [-4, -4, -4], high: [4, 4, 4] };
const camera: Camera = { around: 35, above: 22, zoom: 2, aim: [1, 0, 0] };
const lens = lensOf(bounds, camera, 800, 600);

it("looks around from where it is", () => {
  const next = looked(camera, bounds, lens, { x: 200, y: -50 });
  const seen = lensOf(bounds, next, 800, 600);
  expect(next.around).toBeCloseTo(50);
  for (const axis of [0, 1, 2] as const) expect(seen.eye[axis]).toBeCloseTo(lens.eye[axis]);
});

it("flies the way it looks, sideways and up, faster with Shift", () => {
  const to = (keys: string[]) => lensOf(bounds, flown(camera, bounds, lens, new Set(keys), 0.5), 800, 600).eye;
  const way = (keys: string[]) => to(keys).map((at, axis) => at - (lens.eye[axis] ?? 0));
  const length = Math.hypot(...way(["w"]));
  for (const axis of [0, 1, 2] as const) {
    expect((way(["w"])[axis] ?? 0) / length).toBeCloseTo(lens.forward[axis]);
    expect((way(["d"])[axis] ?? 0) / length).toBeCloseTo(lens.right[axis]);
  }
  expect(way(["e"])[2]).toBeCloseTo(length);
  expect(Math.hypot(...way(["w", "shift"]))).toBeCloseTo(4 * length);
  expect(Math.hypot(...way(["w", "s"]))).toBeCloseTo(0);
});
