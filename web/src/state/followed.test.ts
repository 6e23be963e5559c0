import { beforeEach, expect, it, vi } from "vitest";
import type { TraceInfo } from "../api/types";
import { followed, startFollowing } from "./followed";
import { go, place, startHistory } from "./history";
import { questionOf } from "./questions";
import { reconnected } from "./server";
import { trace } from "./trace";
import { registerViews } from "./views";
import { TEST_VIEWS } from "./views-for-tests";

let asked: string[] = [];
let reply: () => Response = () => new Response("null");
const settle = () => vi.advanceTimersByTimeAsync(0);

const always = followed("details", {
  question: () => (place.value.selected === null ? null : questionOf({ select: place.value.selected, ranks: "" })),
});
const live = followed("progress", {
  question: () => (place.value.ranks === "" ? null : questionOf({ ranks: place.value.ranks })),
  live: true,
});
const onDemand = followed("findings", { question: () => questionOf({}), quietMs: 300, onDemand: true });

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", {
    location: { origin: "", pathname: "/", hash: "#v=1&trace=t&layout=overview" },
    history: { state: null, pushState: () => {}, replaceState: () => {} },
    addEventListener: () => {},
  });
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(path.replace("/api/v1/traces/t/", ""));
    return reply();
  });
  const [activity, ...others] = TEST_VIEWS;
  registerViews([{ ...(activity as (typeof TEST_VIEWS)[0]), loads: [onDemand] }, ...others]);
  trace.value = { id: "t", end_ns: "9", rows: 4, views: ["activity", "timeline"], regions: [] } as unknown as TraceInfo;
  startHistory();
  asked = [];
});

startFollowing();

it("asks when its question changes, and again when the server is back", async () => {
  reply = () => new Response('{"title":"f"}');
  go({ layout: "1timeline", selected: "span:1:2" }, "push");
  go({ time: [1, 20] }, "push");
  await settle();
  expect(asked).toEqual(["details?select=span%3A1%3A2"]);
  expect(always.answer.value).toEqual({ title: "f" });
  reconnected.value += 1;
  await settle();
  expect(asked).toHaveLength(2);
  go({ selected: null }, "push");
  expect(always.answer.value).toBeNull();
});

it("passes the server's words on", async () => {
  reply = () => new Response('{"error":"There is no such call."}', { status: 404 });
  go({ layout: "1timeline", selected: "span:9:9" }, "push");
  await settle();
  expect([always.answer.value, always.problem.value]).toEqual([null, "There is no such call."]);
});

it("waits until the question rests, and asks only for views that load it", async () => {
  reply = () => new Response('{"findings":[]}');
  await vi.advanceTimersByTimeAsync(299);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toEqual(["findings"]);
  expect(onDemand.answer.value).toEqual({ findings: [] });
  go({ layout: "1timeline" }, "push");
  expect(onDemand.answer.value).toBeNull();
});

it("lets a live question finish while the next ones replace each other", async () => {
  const open: (() => void)[] = [];
  vi.stubGlobal("fetch", async (path: string, { signal }: { signal: AbortSignal }) => {
    asked.push(path.replace("/api/v1/traces/t/", ""));
    await new Promise<void>((resolve, reject) => {
      open.push(resolve);
      signal.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
    });
    return new Response(JSON.stringify({ nodes: asked.length }));
  });
  const ofLive = () => asked.filter((one) => one.startsWith("progress"));
  for (const ranks of ["1", "2", "3"]) go({ layout: "1timeline", ranks }, "live");
  await settle();
  expect(ofLive()).toEqual(["progress?ranks=1"]);
  for (const answer of open.splice(0)) answer();
  await settle();
  // The first has answered, and of the others only the last was asked.
  expect(live.answer.value).not.toBeNull();
  expect(ofLive()).toEqual(["progress?ranks=1", "progress?ranks=3"]);
  go({ ranks: "" }, "live");
  expect(live.answer.value).toBeNull();
});
