import { afterEach, describe, expect, it, vi } from "vitest";
import {
  ApiError,
  ask,
  cancelAnalysis,
  fetchAnalysis,
  fetchTraces,
  figureUrl,
  isAbort,
  onOutcome,
  ServerGone,
} from "./client";

function answer(status: number, body: string): void {
  vi.stubGlobal(
    "fetch",
    vi.fn(async () => new Response(body, { status })),
  );
}
const asked = () => String(vi.mocked(fetch).mock.calls[0]?.[0]);

describe("the client", () => {
  const outcomes: string[] = [];
  onOutcome((outcome) => outcomes.push(outcome));
  afterEach(() => {
    outcomes.length = 0;
    vi.unstubAllGlobals();
  });

  it("passes the server's own sentence on", async () => {
    answer(404, '{"error":"Rank 9 has no such span."}');
    await expect(fetchTraces()).rejects.toEqual(new ApiError(404, "Rank 9 has no such span."));
    expect(outcomes).toEqual(["answered"]);
  });

  it("has a sentence of its own for a body that is none", async () => {
    answer(500, "<html>");
    await expect(fetchTraces()).rejects.toThrow("status 500");
  });

  it("tells a missing session and a missing server apart", async () => {
    answer(401, '{"error":"no"}');
    await expect(fetchTraces()).rejects.toBeInstanceOf(ApiError);
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("network")));
    await expect(fetchTraces()).rejects.toBeInstanceOf(ServerGone);
    answer(200, '{"version":');
    await expect(fetchTraces()).rejects.toBeInstanceOf(ServerGone);
    expect(outcomes).toEqual(["locked", "gone", "answered", "gone"]);
  });

  it("does not take giving up for a failure", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new DOMException("stop", "AbortError")));
    await expect(fetchTraces()).rejects.toSatisfy(isAbort);
    expect(outcomes).toEqual([]);
  });

  it("writes addresses as agreed", async () => {
    answer(200, "null");
    await ask("a/b", "details", new URLSearchParams({ select: "span:12:345", ranks: "0-3" }));
    expect(asked()).toBe("/api/v1/traces/a%2Fb/details?select=span%3A12%3A345&ranks=0-3");
    answer(200, "null");
    await fetchAnalysis("t", "logical", new URLSearchParams("leap-merge=1"));
    expect(asked()).toBe("/api/v1/traces/t/analysis/logical?leap-merge=1");
    answer(200, "null");
    await cancelAnalysis("t", "logical", new URLSearchParams());
    expect(asked()).toBe("/api/v1/traces/t/analysis/logical/cancel");
    expect(figureUrl("t", "timeline", "pdf", new URLSearchParams({ width: "9" }))).toBe(
      "/api/v1/traces/t/figure/timeline.pdf?width=9",
    );
  });
});
