import { expect, it } from "vitest";
import { valueAtY, yOfValue } from "./scale";
import type { SceneScale } from "./types";

const LOG: SceneScale = { upper: 1e9, lower: 1e3, spacing: "log", top: 40, bottom: 640 };
const RANKS: SceneScale = { upper: 0, lower: 16, spacing: "linear", top: 40, bottom: 360 };

it("follows the spacing of the axis", () => {
  expect(valueAtY(LOG, 640)).toBeCloseTo(1e3);
  expect(valueAtY(LOG, 340)).toBeCloseTo(1e6);
  expect(yOfValue(LOG, 1e8)).toBeCloseTo(140);
  expect(valueAtY(RANKS, 60)).toBeCloseTo(1);
  expect(yOfValue(RANKS, 4)).toBeCloseTo(120);
});

it("does not leave the axis", () => {
  expect(valueAtY(LOG, 0)).toBeCloseTo(1e9);
  expect(yOfValue(LOG, 0)).toBe(640);
  expect(yOfValue(LOG, 1e12)).toBe(40);
});
