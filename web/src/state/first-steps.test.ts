import { expect, it } from "vitest";
import { stepsAround, stepsWithRoom } from "./first-steps";

const PANE = { width: 1060, height: 400 };

it("gives boxes about twice their height, whatever the number of ranks", () => {
  for (const rows of [2, 4, 16, 64]) {
    const count = stepsWithRoom(PANE, rows) ?? 0;
    const row = (PANE.height - 32) / rows;
    const height = Math.min(row > 12 ? row * 0.75 : row, 19);
    const width = (PANE.width - 72) / count / 1.9;
    expect(width / height, `${rows} ranks`).toBeGreaterThan(1.7);
    expect(width / height, `${rows} ranks`).toBeLessThan(2.6);
    expect(count, `${rows} ranks`).toBeGreaterThan(9);
  }
});

it("leaves all steps in sight where rows are too low for boxes", () => {
  expect(stepsWithRoom(PANE, 256)).toBeNull();
});

it("puts the latest step into the middle, and stays within all steps", () => {
  expect(stepsAround(60, 11, 200)).toEqual([55, 66]);
  expect(stepsAround(1, 11, 200)).toEqual([0, 11]);
  expect(stepsAround(199, 11, 200)).toEqual([189, 200]);
});
