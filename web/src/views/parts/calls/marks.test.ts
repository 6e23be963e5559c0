import { expect, it } from "vitest";
import { parseSelection } from "../../../api/selection";
import type { Picture } from "../../../pane/pane-view";
import { brushSelection } from "./marks";

it("a rectangle of pixels takes in all that it touches", () => {
  const scale = { upper: 1e9, lower: 1e3, spacing: "log", top: 40, bottom: 640 } as const;
  const plot = { x: 60, y: 10, width: 1000, height: 640 };
  const rect = { x: 160.4, y: 140, width: 99.9, height: 200 };
  const picture = { layout: { plot }, window: [5_000, 6_000] } as unknown as Picture;
  const selected = parseSelection(brushSelection(rect, [140, 340], scale, picture));
  if (selected?.kind !== "window" || selected.values === null) throw new Error("it is no rectangle");
  expect(selected.time).toEqual([5100, 5201]);
  expect(selected.values[0]).toBeCloseTo(1e6, -1);
  expect(selected.values[1]).toBeCloseTo(1e8, -1);
  expect(selected.values.every(Number.isInteger)).toBe(true);
});
