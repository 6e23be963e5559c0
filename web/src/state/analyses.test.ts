import { beforeEach, describe, expect, it, vi } from "vitest";
import type { LogicalAbout, TraceInfo } from "../api/types";
import { analysis, startAnalyses } from "./analyses";
import { go, startHistory } from "./history";
import { trace } from "./trace";
import "./views-for-tests";

const logical = analysis("logical");
let asked: string[] = [];
let answer: object = {};
const settle = () => vi.advanceTimersByTimeAsync(0);
const READY = { state: "ready", about: { steps: 9 } as LogicalAbout };

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("window", {
    location: { origin: "", pathname: "/", hash: "#v=1&trace=t&layout=overview" },
    history: { state: null, pushState: () => {}, replaceState: () => {} },
    addEventListener: () => {},
  });
  vi.stubGlobal("fetch", async (path: string, { method = "GET" }: RequestInit) => {
    asked.push(`${method} ${path.replace("/api/v1/traces/t/analysis/", "")}`);
    return new Response(JSON.stringify(answer));
  });
  trace.value = { id: "t", end_ns: "9", rows: 4, views: ["timeline", "logical"], regions: [] } as unknown as TraceInfo;
  startHistory();
  logical.again();
  await settle();
  asked = [];
});

startAnalyses();

describe("an analysis", () => {
  it("is asked for only while a view needs it, until it is there", async () => {
    answer = { state: "building", stage: "Merging", done: 0.4 };
    expect([logical.isWanted.value, logical.state.value]).toEqual([false, null]);
    go({ layout: "1logical" }, "push");
    await settle();
    expect(logical.state.value).toEqual(answer);
    answer = READY;
    await vi.advanceTimersByTimeAsync(300);
    expect(logical.ready.value).toEqual({ steps: 9 });
    await vi.advanceTimersByTimeAsync(3000);
    expect(asked).toEqual(["GET logical", "GET logical"]);
    // What it does not depend on asks nothing.
    go({ time: [1, 20], selected: "span:1:2", options: { palette: "sequential" } }, "push");
    await settle();
    expect(asked).toHaveLength(2);
  });

  it("stays known while something is added to it, and not by other options", async () => {
    answer = READY;
    go({ layout: "1logical" }, "push");
    await settle();
    answer = { state: "building", stage: "Summing", done: 0 };
    go({ options: { metric: "duration" } }, "push");
    await settle();
    expect([logical.ready.value, logical.known.value]).toEqual([null, { steps: 9 }]);
    go({ options: { metric: "duration", "leap-merge": true } }, "push");
    await settle();
    expect(logical.known.value).toBeNull();
    expect(asked.at(-1)).toBe("GET logical?leap-merge=1&metric=duration");
  });

  it("can be cancelled, and begun again", async () => {
    answer = { state: "building", stage: "Merging", done: 0.4 };
    go({ layout: "1logical" }, "push");
    await settle();
    await logical.cancel();
    expect(logical.state.value).toEqual({ state: "cancelled" });
    await vi.advanceTimersByTimeAsync(3000);
    expect(asked).toEqual(["GET logical", "POST logical/cancel"]);
    answer = READY;
    logical.again();
    await settle();
    expect(logical.ready.value).toEqual({ steps: 9 });
  });

  it("says what went wrong in the server's words", async () => {
    vi.stubGlobal("fetch", async () => new Response('{"error":"The disk is full."}', { status: 500 }));
    go({ layout: "1logical" }, "push");
    await settle();
    expect(logical.state.value).toEqual({ state: "failed", error: "The disk is full." });
  });
});
