import { beforeEach, describe, expect, it, vi } from "vitest";
import type { NetworkAbout, TraceInfo } from "../../../api/types";
import { startHistory } from "../../../state/history";
import { go, layoutNow, place, trace, viewsInSight } from "../../../state/state";
import { allLayouts } from "../../../state/views";
import { views } from "../../registry";
import { machine, machineKind, noSuchMachine } from "../network/data";
import { layersText } from "../network/topology";
import { findsSwitch, opensBlock, toggledBlock } from "./controls";
import { middlePod, podOfSwitches, podWords, readPod } from "./pods";

/** The tree of the paper, with six layers. */
const TREE = {
  kind: "fat-tree",
  shape: "fat-tree:4^6",
  dimensions: [],
  nodes: 4096,
  ranks: 4096,
  layers: [1024, 1024, 1024, 1024, 1024, 1024],
  pods: [1024, 256, 64, 16, 4, 1],
  groups: null,
  routing: "d-mod-k",
  routings: ["d-mod-k", "spread"],
} as unknown as NetworkAbout;

const VIEWS = ["activity", "torus", "torus3d", "minimaps", "mappings", "fattree", "dragonfly"];

beforeEach(() => {
  vi.stubGlobal("window", {
    location: { origin: "", pathname: "/", hash: "#v=1&trace=t&layout=network" },
    history: { state: null, pushState: () => {}, replaceState: () => {} },
    addEventListener: () => {},
  });
  trace.value = { id: "t", end_ns: "1000", spans: "9", rows: 4, views: VIEWS, regions: [] } as unknown as TraceInfo;
  startHistory();
});

describe("pods of a tree", () => {
  beforeEach(() => machine.take({ state: "ready", about: TREE }));

  it("are known by their nodes and by their switches", () => {
    expect(podWords("4,1")).toBe("nodes 256–511");
    expect(podWords("")).toBe("whole machine");
    expect(readPod("4,x")).toBeNull();
    // Layer 3 has 16 switches in each pod of 64 nodes.
    expect(podOfSwitches(3, 112, 127)).toEqual({ layer: 3, number: 7 });
    expect(podOfSwitches(3, 112, 128)).toBeNull();
    expect(podOfSwitches(3, 2000, 2000)).toBeNull();
  });

  it("are chosen small enough to be read", () => {
    expect(middlePod(256, TREE)).toBe("4,2");
    expect(middlePod(64, TREE)).toBe("3,8");
    expect(middlePod(64, { nodes: 64, pods: [16, 4, 1] })).toBe("");
    expect(middlePod(64, { nodes: 1000, pods: [1] })).toBe("");
  });

  it("are split and joined", () => {
    expect(toggledBlock("", "3,7")).toBe("3,7");
    expect(toggledBlock("3,7", "4,1")).toBe("3,7;4,1");
    expect(toggledBlock("3,7;4,1", "3,7")).toBe("4,1");
    go({ layout: "1fattree(as=lb)" }, "push");
    expect(opensBlock("fattree", "nodes:3,112-127")).toBe(true);
    expect(place.value.layout).toBe("1fattree(as=lb~split=3,7)");
    // A switch of it joins it again; a node opens nothing.
    expect(opensBlock("fattree", "nodes:3,113")).toBe(true);
    expect(place.value.layout).toBe("1fattree(as=lb)");
    expect(opensBlock("fattree", "nodes:0,7")).toBe(false);
  });

  it("and switches and nodes are found by their names", () => {
    expect(findsSwitch("switch 2.120")?.select).toBe("nodes:2,120");
    expect(findsSwitch("Switch 2,120")?.label).toBe("switch 2.120");
    expect(findsSwitch("node 492")?.select).toBe("nodes:0,492");
    for (const none of ["switch 7.1", "switch 2.1024", "switch 2", "node 4096", "node 1.2", "MPI_Send"])
      expect(findsSwitch(none), none).toBeNull();
  });
});

it("says layers at once where they are alike", () => {
  expect(layersText(TREE.layers)).toBe("6 layers × 1,024");
  expect(layersText([16, 4])).toBe("2 layers: 16 + 4");
});

describe("the kind of machine", () => {
  it("decides which panes the network has, and what is offered", () => {
    // Of a file nobody knows what it says until the server has read it.
    go({ options: { topology: "machine.yaml" } }, "push");
    expect(machineKind.value).toBe("torus");
    expect(viewsInSight.value.map(({ name }) => name)).toEqual(["minimaps", "torus", "torus3d", "mappings"]);
    expect(views().map(({ name }) => name)).not.toContain("fattree");
    machine.take({ state: "ready", about: TREE });
    expect(viewsInSight.value.map(({ name }) => name)).toEqual(["fattree", "utilisation", "fattree", "fattree"]);
    expect(views().map(({ name }) => name)).toEqual(["activity", "fattree", "utilisation"]);
    expect(noSuchMachine("torus")).toBe("This machine is a fat-tree, not a torus.");
    // Its panes have pods that fit, and it is still the network when they are changed.
    expect(allLayouts().find(({ name }) => name === "network")?.text).toContain("fattree(as=qs~within=3,8)");
    expect(layoutNow()).toBe("network");
    // While routes are found anew it stays what it is; another machine is what its name says.
    go({ options: { topology: "machine.yaml", routing: "spread" } }, "push");
    expect(machineKind.value).toBe("fat-tree");
    go({ options: { topology: "dragonfly:9x4x2" } }, "push");
    expect(viewsInSight.value.map(({ name }) => name)).toEqual(["dragonfly", "dragonfly"]);
    go({ options: { topology: "8x8x8" } }, "push");
    expect(machineKind.value).toBe("torus");
  });
});
