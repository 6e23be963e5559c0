import { expect, it } from "vitest";
import { parseSelection } from "../../../api/selection";
import type { Picture } from "../../../pane/pane-view";
import { brushSelection, stageMark } from "./marks";

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

it("names of functions are told from plain words, which are not shortened", () => {
  const common = { mostly: "computing", share: 0.9, efficiency: 0.9, rounds: null };
  const stages = [
    { start_ns: "0", end_ns: "400", name: "computing", is_caller: false, region: null, ...common },
    { start_ns: "400", end_ns: "700", name: "MPI_Allreduce", is_caller: false, region: 3, ...common },
    { start_ns: "700", end_ns: "1000", name: "eigen", is_caller: true, region: null, ...common },
  ];
  const picture = {
    layout: { plot: { x: 0, y: 0, width: 1000, height: 100 } },
    window: [0, 1000],
  } as unknown as Picture;
  const told = stages.map((stage) => stageMark(picture, stage, true)).map(({ text, isWord }) => [text, isWord]);
  expect(told).toEqual([
    ["computing", true],
    ["Allreduce", false],
    ["eigen", false],
  ]);
});
