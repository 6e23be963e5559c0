import { beforeEach, describe, expect, it, vi } from "vitest";
import type { LogicalAbout, TraceInfo } from "../api/types";
import { lackOf } from "./analyses";
import { hasCloser, hasSteps, isWide, layoutNow, viewsInSight } from "./dock";
import { go, place, startHistory } from "./history";
import { logical, startSteps } from "./logical";
import { optionIn, setOptionsIn } from "./pane-options";
import { sceneBasis, sceneParams } from "./scene-params";
import { trace } from "./trace";
import { showsSteps, type ViewKind, viewKind } from "./views";
import { acrossOf } from "./windows";
import "./views-for-tests";

const view = (name: string) => viewKind(name) as ViewKind;
const asked = (name: string, frame: "pane" | "figure" = "pane") => {
  const params = sceneParams(frame, view(name));
  params.delete("theme");
  return decodeURIComponent(params.toString());
};

beforeEach(() => {
  vi.stubGlobal("window", {
    location: { origin: "", pathname: "/", hash: "#v=1&trace=t&layout=overview" },
    history: { state: null, pushState: () => {}, replaceState: () => {} },
    addEventListener: () => {},
  });
  const views = ["activity", "timeline", "logical", "metric", "calls"];
  trace.value = { id: "t", end_ns: "100000", rows: 4, views, regions: [] } as unknown as TraceInfo;
  startHistory();
});

startSteps();

it("knows the layouts that show steps by the axes of their views, not by their names", () => {
  for (const layout of ["logical", "1logical", "1c(500timeline.logical!1,500activity)", "1c(300metric,700timeline)"])
    expect(showsSteps(layout), layout).toBe(true);
  for (const layout of ["", "overview", "1calls", "1c(500logical2,500a-metric)"])
    expect(showsSteps(layout), layout).toBe(false);
});

it("knows what the page shows from the views of its dock", () => {
  go({ layout: "1c(500timeline.logical,500closer)" }, "push");
  expect(viewsInSight.value.map(({ name }) => name)).toEqual(["timeline", "closer"]);
  expect([hasSteps.value, hasCloser.value, isWide.value]).toEqual([true, true, false]);
  go({ layout: "1c(500calls*,500closer)" }, "push");
  expect([hasSteps.value, hasCloser.value, isWide.value]).toEqual([false, false, true]);
});

it("knows which window an axis shows", () => {
  expect(["timeline", "logical", "closer"].map((name) => acrossOf(view(name)))).toEqual(["time", "steps", "closer"]);
});

describe("a scene is asked for", () => {
  it("with the windows of its axes, the options that it heeds, and the selection", () => {
    go({ time: [10, 90], rows: [1, 3], selected: "span:1:2", options: { style: "lines", metric: "duration" } }, "push");
    expect(asked("activity")).toBe("frame=pane&select=span:1:2&time=10:90&rows=1:3");
    // Where its lateness came from is found by the same options.
    expect(asked("timeline")).toBe("frame=pane&metric=duration&select=span:1:2&time=10:90&rows=1:3");
    expect(asked("calls")).toBe("frame=pane&style=lines&select=span:1:2&time=10:90&rows=1:3");
  });

  it("without what the page itself draws", () => {
    go({ options: { omin: 0.9 }, selected: "window:1:2:3:4" }, "push");
    expect(asked("calls")).toBe("frame=pane");
    expect(asked("calls", "figure")).toBe("frame=figure&omin=0.9");
    expect(asked("activity")).toBe("frame=pane&select=window:1:2:3:4");
  });

  it("with what its source has fixed, in its own window", () => {
    go({ closer: [20, 30], options: { style: "arches" } }, "push");
    expect(asked("closer")).toBe("frame=pane&style=lines&time=20:30");
  });

  it("with the options of its pane, which no other pane has", () => {
    go({ layout: "1r(500apart(style=lines~scale=log),500apart)", options: { style: "arches", omin: 0.9 } }, "push");
    const asks = (pane: string) => sceneParams("pane", view("apart"), pane).toString();
    // What is not the pane's own is as the place says, and the other way round.
    expect(asks("apart")).toContain("style=lines&omin=0.9");
    expect(asks("apart")).not.toContain("scale");
    expect(asks("apart-2")).not.toContain("style");
    setOptionsIn("apart-2", { style: "points-start", omin: 0.5 });
    expect([optionIn("apart", "style"), optionIn("apart-2", "style")]).toEqual(["lines", "points-start"]);
    expect(place.value.layout).toBe("1r(500apart(style=lines~scale=log),500apart(style=points-start))");
    expect(place.value.options).toEqual({ style: "arches", omin: 0.5 });
    setOptionsIn("apart-2", { style: "points-end" });
    expect(place.value.layout).toBe("1r(500apart(style=lines~scale=log),500apart)");
    // Nothing of it is a layout of somebody's own making.
    expect(layoutNow()).toBe("1r(500apart,500apart)");
    go({ layout: "1c(260activity(y=rank),740timeline)" }, "push");
    expect(layoutNow()).toBe("overview");
  });

  it("for the whole run whatever the windows are", () => {
    go({ layout: "logical", steps: [1, 2], selected: "phase:3" }, "push");
    expect(asked("metric")).toBe("frame=pane&main=1&select=phase:3");
  });

  it("with the options by which a phase is found, in every view", () => {
    go({ options: { "leap-merge": true }, selected: "phase:3" }, "push");
    expect(asked("activity")).toBe("frame=pane&leap-merge=1&select=phase:3");
  });

  it("again once a result is there that says more about the selection", () => {
    go({ layout: "logical", options: { "same-size": true }, selected: "span:1:2" }, "push");
    expect(sceneBasis(view("timeline"))).toBe("");
    logical.take({ state: "ready", about: { steps: 9 } as LogicalAbout });
    expect([sceneBasis(view("timeline")), sceneBasis(view("activity"))]).toEqual(["logical", ""]);
    go({ selected: null }, "push");
    expect(sceneBasis(view("timeline"))).toBe("");
  });

  it("in a wide frame beside views that need room", () => {
    go({ layout: "1c(500calls,500closer)" }, "push");
    expect(asked("activity")).toBe("frame=wide");
    expect(asked("closer")).toMatch(/^frame=pane&style=lines/);
  });

  it("with the options of an analysis once that is there", () => {
    go({ layout: "logical", options: { "leap-merge": true, metric: "duration", palette: "sequential" } }, "push");
    expect(lackOf(view("logical"))).toEqual({ isComing: true, mustWait: true });
    expect(lackOf(view("timeline"))).toBeNull();
    logical.take({ state: "ready", about: { steps: 9 } as LogicalAbout });
    expect(lackOf(view("logical"))).toBeNull();
    expect(asked("logical")).toBe("frame=pane&main=1&metric=duration&palette=sequential&leap-merge=1&steps=0:9");
    logical.take({ state: "none", why: "nothing talks" });
    expect(lackOf(view("logical"))).toEqual({ isComing: false, mustWait: true });
  });
});
