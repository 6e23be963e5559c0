import { beforeEach, expect, it, vi } from "vitest";
import type { LogicalAbout, TraceInfo } from "../api/types";
import { driver, go, place, startHistory } from "./history";
import { logical, startSteps } from "./logical";
import { startStepsTime } from "./steps-time";
import { trace } from "./trace";
import "./views-for-tests";

/** A thousand nanoseconds a step; answers wait until they are let go. */
let waiting: { url: URL; answer: () => Promise<void> }[] = [];
const entries: string[] = [];

async function answerAll(): Promise<string[]> {
  const asked: string[] = [];
  while (waiting.length > 0) {
    const next = waiting.shift();
    asked.push(next?.url.search.slice(1).replaceAll("%3A", ":") ?? "");
    await next?.answer();
  }
  return asked;
}

beforeEach(() => {
  waiting = [];
  entries.length = 0;
  vi.useFakeTimers();
  vi.stubGlobal("window", {
    location: { origin: "", pathname: "/", hash: "#v=1&trace=t&layout=logical" },
    history: {
      state: null,
      pushState: (_state: unknown, _title: string, hash: string) => entries.push(hash),
      replaceState: (_state: unknown, _title: string, hash: string) => entries.splice(-1, 1, hash),
    },
    addEventListener: () => {},
  });
  vi.stubGlobal("fetch", (path: string) => {
    const url = new URL(path, "http://here");
    const pair = (name: string) => url.searchParams.get(name)?.split(":").map(Number);
    const [time, steps] = [pair("time"), pair("steps")];
    const body = {
      time: (time ?? (steps ?? []).map((one) => one * 1000)).map(String),
      steps: steps ?? (time ?? []).map((one) => one / 1000),
    };
    return new Promise((resolve) => {
      const answer = async () => {
        resolve(new Response(JSON.stringify(body)));
        await vi.advanceTimersByTimeAsync(0);
      };
      waiting.push({ url, answer });
    });
  });
  const info: Partial<TraceInfo> = { id: "t", end_ns: "100000", rows: 4, views: ["timeline", "logical"], regions: [] };
  trace.value = info as TraceInfo;
  startHistory();
  logical.take({ state: "ready", about: { steps: 100 } as LogicalAbout });
});

startSteps();
startStepsTime();

it("lets the other window follow, without an echo and without an entry of its own", async () => {
  go({ time: [20_000, 40_000] }, "push");
  expect(await answerAll()).toEqual(["time=20000:40000"]);
  expect(place.value.steps).toEqual([20, 40]);
  expect(driver.value).toBeNull();
  go({ steps: [30, 35] }, "push");
  expect(await answerAll()).toEqual(["steps=30:35"]);
  expect(place.value.time).toEqual([30_000, 35_000]);
  expect(entries).toEqual([
    "#v=1&trace=t&layout=logical",
    "#v=1&trace=t&layout=logical&time=20000:40000&steps=20:40",
    "#v=1&trace=t&layout=logical&time=30000:35000&steps=30:35",
  ]);
});

it("asks one question at a time, and the newest answer stays", async () => {
  for (let i = 0; i < 10; i += 1) go({ steps: [i, i + 10] }, "live");
  expect(waiting).toHaveLength(1);
  expect(await answerAll()).toEqual(["steps=0:10", "steps=9:19"]);
  expect(place.value.time).toEqual([9000, 19_000]);
  expect(driver.value).toBeNull();
});

it("does not let an answer to an older mover undo a newer move", async () => {
  go({ steps: [10, 20] }, "live");
  go({ time: [50_000, 60_000] }, "live");
  await answerAll();
  expect([place.value.time, place.value.steps]).toEqual([
    [50_000, 60_000],
    [50, 60],
  ]);
});

it("follows once the steps are there, and asks the route of steps", async () => {
  go({ options: { "leap-merge": true } }, "push");
  await answerAll();
  go({ time: [20_000, 40_000] }, "push");
  expect(waiting).toHaveLength(0);
  logical.take({ state: "ready", about: { steps: 100 } as LogicalAbout });
  expect(waiting[0]?.url.pathname).toBe("/api/v1/traces/t/steps");
  expect(await answerAll()).toEqual(["leap-merge=1&time=20000:40000"]);
  expect(place.value.steps).toEqual([20, 40]);
});
