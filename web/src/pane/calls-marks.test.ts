import { expect, it } from "vitest";
import { brushRect } from "./calls-marks";

it("a rectangle of pixels takes in all that it touches", () => {
  const scale = { upper: 1e9, lower: 1e3, spacing: "log", top: 40, bottom: 640 } as const;
  const plot = { x: 60, y: 10, width: 1000, height: 640 };
  const rect = { x: 160.4, y: 140, width: 99.9, height: 200 };
  const brush = brushRect(rect, [140, 340], scale, plot, [5_000, 6_000]);
  expect(brush.time).toEqual([5100, 5201]);
  expect(brush.values[0]).toBeCloseTo(1e6, -1);
  expect(brush.values[1]).toBeCloseTo(1e8, -1);
  expect(brush.values.every(Number.isInteger)).toBe(true);
});
