import { describe, expect, it } from "vitest";
import { css, dockBoxes } from "./dock-boxes";
import {
  addTab,
  closeTab,
  type Dock,
  normalise,
  panes,
  parseDock,
  readDock,
  resize,
  split,
  toggleMaximised,
  writeDock,
} from "./dock-tree";

const KNOWN = ["activity", "timeline", "logical", "metric"];
const read = (text: string) => readDock(text, KNOWN);

describe("the text of a dock", () => {
  it("reads back what it wrote", () => {
    for (const text of [
      "1c(100activity,900r(500timeline,500timeline.activity!1))",
      "1timeline*",
      "overview",
      "timeline",
    ]) {
      expect(writeDock(read(text))).toBe(text);
    }
  });

  it("falls back to the first layout for what it cannot read or does not know", () => {
    for (const text of [
      "",
      "2timeline",
      "1c(1activity",
      "1c(0activity,5timeline)",
      "1nonsense",
      "1r(9timeline)",
      "x((((",
    ]) {
      expect(writeDock(read(text))).toBe("overview");
    }
    expect(writeDock(readDock("overview", ["timeline"]))).toBe("timeline");
  });

  it("brings shares to a thousand", () => {
    expect(normalise([1, 1, 1])).toEqual([333, 334, 333]);
    expect(parseDock("1r(1timeline,3activity)")).toMatchObject({ shares: [250, 750] });
  });
});

describe("changes of a dock", () => {
  it("splits, and a row within a row becomes one row", () => {
    let tree: Dock = read("timeline");
    tree = split(tree, [], "row", "activity");
    expect(writeDock(tree)).toBe("1r(500timeline,500activity)");
    tree = split(tree, [1], "row", "timeline");
    expect(writeDock(tree)).toBe("1r(500timeline,250activity,250timeline)");
    tree = split(tree, [0], "column", "timeline");
    expect(writeDock(tree)).toBe("1r(500c(500timeline,500timeline),250activity,250timeline)");
  });

  it("closes tabs, then panes, but never the last", () => {
    let tree = addTab(read("overview"), [1], "activity");
    expect(writeDock(tree)).toBe("1c(260activity,740timeline.activity!1)");
    tree = closeTab(tree, [1], 1);
    expect(writeDock(tree)).toBe("overview");
    tree = closeTab(tree, [0], 0);
    expect(writeDock(tree)).toBe("timeline");
    expect(writeDock(closeTab(tree, [], 0))).toBe("timeline");
  });

  it("maximises one pane and restores", () => {
    const big = toggleMaximised(read("overview"), [0]);
    expect(writeDock(big)).toBe("1c(260activity*,740timeline)");
    expect(dockBoxes(big).panes).toHaveLength(1);
    expect(writeDock(toggleMaximised(big, [0]))).toBe("overview");
  });

  it("resizes within limits", () => {
    expect(writeDock(resize(read("overview"), [], 0, 400))).toBe("1c(400activity,600timeline)");
    expect(writeDock(resize(read("overview"), [], 0, -5))).toBe("1c(120activity,880timeline)");
    expect(writeDock(resize(read("overview"), [], 0, 5000))).toBe("1c(880activity,120timeline)");
  });

  it("stops at sixteen panes", () => {
    let tree = read("timeline");
    for (let i = 0; i < 30; i += 1) tree = split(tree, [0], i % 2 === 0 ? "row" : "column", "timeline");
    expect(panes(tree).length).toBeLessThanOrEqual(16);
  });
});

describe("boxes", () => {
  it("fill the dock and have ids of their own", () => {
    const { panes: all, splitters } = dockBoxes(read("1c(100activity,900r(500timeline,500timeline))"));
    expect(all.map((pane) => pane.id)).toEqual(["activity", "timeline", "timeline-2"]);
    const area = all.reduce((sum, { box }) => sum + box.width.part * box.height.part, 0);
    expect(area).toBeCloseTo(1);
    expect(splitters.map(({ upright }) => upright)).toEqual([false, true]);
  });

  it("give a view its own height, and divide the rest", () => {
    const own = (view: string) => (view === "metric" ? 100 : undefined);
    const { panes: all, splitters } = dockBoxes(read("1c(600logical,300timeline,100metric)"), own);
    expect(all.map(({ box }) => css(box.y))).toEqual(["0%", "calc(66.667% + -66.667px)", "calc(100% + -100px)"]);
    expect(all.at(-1)?.box.height).toEqual({ part: 0, pixels: 100 });
    expect(splitters).toHaveLength(1);
    // Alone, or maximised, it takes everything.
    expect(dockBoxes(read("1metric"), own).panes[0]?.box.height.part).toBe(1);
    expect(dockBoxes(read("1c(600logical,400metric*)"), own).panes[0]?.box.height.part).toBe(1);
  });
});
