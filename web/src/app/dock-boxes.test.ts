import { describe, expect, it } from "vitest";
import { type Dock, parseDock, toggleMaximised } from "../state/dock-tree";
import { css, dockBoxes } from "./dock-boxes";

const parse = (text: string) => parseDock(text) as Dock;

describe("boxes", () => {
  it("fill the dock and have ids of their own", () => {
    const { panes: all, splitters } = dockBoxes(parse("1c(100activity,900r(500timeline,500timeline))"));
    expect(all.map((pane) => pane.id)).toEqual(["activity", "timeline", "timeline-2"]);
    const area = all.reduce((sum, { box }) => sum + box.width.part * box.height.part, 0);
    expect(area).toBeCloseTo(1);
    expect(splitters.map(({ upright }) => upright)).toEqual([false, true]);
  });

  it("give a view its own height, and divide the rest", () => {
    const own = (view: string) => (view === "metric" ? 100 : undefined);
    const { panes: all, splitters } = dockBoxes(parse("1c(600logical,300timeline,100metric)"), own);
    expect(all.map(({ box }) => css(box.y))).toEqual(["0%", "calc(66.667% + -66.667px)", "calc(100% + -100px)"]);
    expect(all.at(-1)?.box.height).toEqual({ part: 0, pixels: 100 });
    expect(splitters).toHaveLength(1);
    // Alone, or maximised, it takes everything.
    expect(dockBoxes(parse("1metric"), own).panes[0]?.box.height.part).toBe(1);
    expect(dockBoxes(parse("1c(600logical,400metric*)"), own).panes[0]?.box.height.part).toBe(1);
  });

  it("show one pane alone where it fills the dock", () => {
    const big = toggleMaximised(parse("1c(260activity,740timeline)"), [0]);
    expect(dockBoxes(big).panes.map(({ view }) => view)).toEqual(["activity"]);
  });
});
