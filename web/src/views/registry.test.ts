import { beforeEach, describe, expect, it, vi } from "vitest";
import { ANALYSES, type AnalysisName, VIEWS } from "../api/options";
import type { TraceInfo } from "../api/types";
import { parseDock, viewsIn } from "../state/dock-tree";
import { firstLayout } from "../state/first-layout";
import { startHistory } from "../state/history";
import { analysis, go, lackOf, type Options, offeredLayouts, trace } from "../state/state";
import { allLayouts } from "../state/views";
import { FEW_RANKS } from "./logical";
import { inSight, viewOf, views } from "./registry";

const INFO = {
  id: "t",
  views: Object.keys(VIEWS),
  logical: true,
  ranks: 16,
  rows: 16,
  rows_main: 16,
  end_ns: "1000",
  regions: [],
  metrics: [],
} as unknown as TraceInfo;

beforeEach(() => {
  vi.stubGlobal("window", {
    location: { origin: "", pathname: "/", hash: "#v=1&trace=t&layout=overview" },
    history: { state: null, pushState: () => {}, replaceState: () => {} },
    addEventListener: () => {},
  });
  trace.value = INFO;
  startHistory();
});

describe("every view", () => {
  it("is one that the server has, with options that it heeds", () => {
    for (const { name, source } of views()) {
      const spec = VIEWS[source.view];
      expect(spec, name).toBeDefined();
      const heeded = [...(spec?.options ?? []), ...(spec?.analyses ?? []).flatMap((one) => ANALYSES[one])];
      const named = [...Object.keys({ ...source.fixed, ...source.adjust?.() }), ...(source.own ?? [])];
      for (const option of named.filter((one) => one !== "colour"))
        expect(heeded, `${name} ${option}`).toContain(option);
    }
  });

  it("has a name and a title of its own, and layouts of views that there are", () => {
    const all = views();
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
    for (const { name, text } of allLayouts()) {
      const tree = parseDock(text);
      expect(tree, name).not.toBeNull();
      for (const view of tree ? viewsIn(tree) : []) expect(viewOf(view).name).toBe(view);
    }
    const names = allLayouts().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    // The page begins with the first, and old links name these.
    expect(names[0]).toBe("overview");
    expect(names).toEqual(expect.arrayContaining(["overview", "calls", "logical", "timeline"]));
  });

  it("is not offered where the server does not know it", () => {
    trace.value = { ...INFO, views: ["activity", "timeline"] };
    expect(views().map(({ name }) => name)).toEqual(["activity", "timeline"]);
  });
});

describe("the views in sight", () => {
  it("bring their panels and commands, each once", () => {
    go({ layout: "calls" }, "push");
    expect(inSight().map(({ name }) => name)).toEqual(["activity", "calls", "calls-arches", "calls-lines"]);
    expect(new Set(inSight().flatMap(({ commands }) => commands ?? [])).size).toBe(1);
    expect(new Set(inSight().flatMap(({ panels }) => panels?.below ?? [])).size).toBe(1);
    go({ layout: "overview" }, "push");
    // The diagnosis, of both its views, once.
    expect(new Set(inSight().flatMap(({ panels }) => panels?.above ?? [])).size).toBe(1);
  });

  it("have commands that can be told apart", () => {
    go({ layout: "1c(300calls,300logical,400timeline)" }, "push");
    const titles = inSight()
      .flatMap(({ commands }) => commands?.() ?? [])
      .map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(titles).toContain("Toggle message lines");
  });
});

it("begins with logical time for few ranks that talk, else with the overview", () => {
  const first = (change: Partial<TraceInfo>) => firstLayout({ ...INFO, ...change }, allLayouts());
  expect(first({})).toBe("logical");
  expect(first({ ranks: FEW_RANKS, rows_main: FEW_RANKS })).toBe("logical");
  expect(first({ ranks: FEW_RANKS + 1, rows_main: FEW_RANKS + 1 })).toBe("overview");
  expect(first({ logical: false })).toBe("overview");
  expect(first({ ranks: 1, rows_main: 1 })).toBe("overview");
});

it("begins with the network where counters of a machine are all there is", () => {
  const measured = {
    ...INFO,
    logical: false,
    spans: "0",
    messages: "0",
    collectives: "0",
    network: {},
  } as unknown as TraceInfo;
  trace.value = { ...measured, views: ["torus", "torus3d", "minimaps"] };
  expect(firstLayout(measured, allLayouts())).toBe("network");
  // Nothing that needs times, or messages to map anew, is on the page.
  go({ layout: "network" }, "push");
  expect(inSight().map(({ name }) => name)).toEqual(["minimaps", "torus", "torus3d"]);
  expect(offeredLayouts().map(({ name }) => name)).toEqual(["network"]);
});

describe("pictures of calls", () => {
  it("wait for nothing, and come sooner by what they make use of", () => {
    const sooner = (options: Options, ranks = "") => {
      go({ layout: "calls", options, ranks }, "push");
      const wanted = (Object.keys(ANALYSES) as AnalysisName[]).filter((name) => analysis(name).isWanted.value);
      expect([viewOf("calls").sooner?.(), lackOf(viewOf("calls"))]).toEqual([
        wanted.filter((name) => name !== "diagnosis"),
        null,
      ]);
      return viewOf("calls").sooner?.();
    };
    trace.value = { ...INFO, spans: "500000" };
    expect(sooner({ y: "rank" }), "few calls are looked at one by one").toEqual([]);
    trace.value = { ...INFO, spans: "500001" };
    expect(sooner({})).toEqual([]);
    expect(sooner({ y: "rank" })).toEqual(["by-rank"]);
    expect(sooner({ y: "rank" }, "0-3")).toEqual([]);
    expect(sooner({}, "0-3")).toEqual(["chosen"]);
    expect(analysis("chosen").options.value).toBe("ranks=0-3");
    expect(sooner({ colour: "caller" }, "0-3")).toEqual(["kinds"]);
    expect(sooner({ y: "bytes" })).toEqual(["kinds"]);
    expect(sooner({ communicator: 1 })).toEqual(["kinds"]);
    expect(analysis("kinds").options.value).toBe("");
  });
});
