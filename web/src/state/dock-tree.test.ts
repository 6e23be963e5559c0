import { describe, expect, it } from "vitest";
import {
  addTab,
  changeView,
  closeTab,
  type Dock,
  normalise,
  ownTexts,
  paneIds,
  panes,
  parseDock,
  readDock,
  resize,
  setOwnTexts,
  split,
  toggleMaximised,
  viewsIn,
  viewsInFront,
  withoutOwn,
  writeDock as write,
} from "./dock-tree";

const KNOWN = ["activity", "timeline", "logical", "metric"];
const READY = [
  { name: "overview", text: "1c(260activity,740timeline)" },
  { name: "timeline", text: "1timeline" },
];
const read = (text: string, known = KNOWN) => readDock(text, known, READY);
const writeDock = (tree: Dock) => write(tree, READY);
const tab = (view: string) => ({ view, own: {} });

describe("the text of a dock", () => {
  it("reads back what it wrote", () => {
    for (const text of [
      "1c(100activity,900r(500timeline,500timeline.activity!1))",
      "1timeline*",
      "1r(500timeline(as=lb~within=2,5).logical!1,500timeline(split=2,5;3,1)*)",
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
      "1timeline()",
      "1timeline(as)",
      "1timeline(as=%zz)",
      "1r(9timeline)",
      "x((((",
    ]) {
      expect(writeDock(read(text))).toBe("overview");
    }
    expect(writeDock(read("overview", ["timeline"]))).toBe("timeline");
  });

  it("brings shares to a thousand", () => {
    expect(normalise([1, 1, 1])).toEqual([333, 334, 333]);
    expect(parseDock("1r(1timeline,3activity)")).toMatchObject({ shares: [250, 750] });
  });
});

describe("changes of a dock", () => {
  it("splits, and a row within a row becomes one row", () => {
    let tree: Dock = read("timeline");
    tree = split(tree, [], "row", tab("activity"));
    expect(writeDock(tree)).toBe("1r(500timeline,500activity)");
    tree = split(tree, [1], "row", tab("timeline"));
    expect(writeDock(tree)).toBe("1r(500timeline,250activity,250timeline)");
    tree = split(tree, [0], "column", tab("timeline"));
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
    expect(viewsInFront(big)).toEqual(["activity"]);
    expect(writeDock(toggleMaximised(big, [0]))).toBe("overview");
  });

  it("resizes within limits", () => {
    expect(writeDock(resize(read("overview"), [], 0, 400))).toBe("1c(400activity,600timeline)");
    expect(writeDock(resize(read("overview"), [], 0, -5))).toBe("1c(120activity,880timeline)");
    expect(writeDock(resize(read("overview"), [], 0, 5000))).toBe("1c(880activity,120timeline)");
  });

  it("stops at sixteen panes", () => {
    let tree = read("timeline");
    for (let i = 0; i < 30; i += 1) tree = split(tree, [0], i % 2 === 0 ? "row" : "column", tab("timeline"));
    expect(panes(tree).length).toBeLessThanOrEqual(16);
  });
});

describe("options of a pane", () => {
  const both = read("1r(500timeline(as=lb),500timeline)");

  it("belong to it, whatever they hold", () => {
    expect(paneIds(both)).toEqual(["timeline", "timeline-2"]);
    expect(ownTexts(both, "timeline")).toEqual({ as: "lb" });
    expect(ownTexts(both, "timeline-2")).toEqual({});
    expect(ownTexts(both, "nobody")).toEqual({});
    const hostile = { as: "a)~b=(c,1d.e!*'%", y: "ü" };
    const next = setOwnTexts(both, "timeline-2", hostile);
    expect(ownTexts(read(writeDock(next)), "timeline-2")).toEqual(hostile);
    expect(ownTexts(next, "timeline")).toEqual({ as: "lb" });
  });

  it("go with it when panes are split, closed or maximised, and end with its view", () => {
    const three = split(both, [0], "row", { view: "timeline", own: { as: "qs" } });
    expect(writeDock(three)).toBe("1r(250timeline(as=lb),250timeline(as=qs),500timeline)");
    expect(writeDock(closeTab(three, [0], 0))).toBe("1r(333timeline(as=qs),667timeline)");
    expect(ownTexts(toggleMaximised(three, [1]), "timeline-2")).toEqual({ as: "qs" });
    expect(writeDock(changeView(both, [0], "logical"))).toBe("1r(500logical,500timeline)");
    expect(writeDock(withoutOwn(both))).toBe("1r(500timeline,500timeline)");
  });
});

describe("the views of a dock", () => {
  it("are those of all tabs, and those in front", () => {
    const tree = read("1c(500timeline.activity!1,500logical)");
    expect(viewsIn(tree)).toEqual(["timeline", "activity", "logical"]);
    expect(viewsInFront(tree)).toEqual(["activity", "logical"]);
  });
});
