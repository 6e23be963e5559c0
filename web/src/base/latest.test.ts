import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Latest } from "./latest";

interface Call {
  question: string;
  signal: AbortSignal;
  answer(text: string): Promise<void>;
  fail(error: Error): Promise<void>;
}

function setUp() {
  const calls: Call[] = [];
  const told: string[] = [];
  const latest = new Latest<string, string>(
    {
      ask: (question, signal) =>
        new Promise((resolve, reject) => {
          const settled = () => vi.advanceTimersByTimeAsync(0).then(() => undefined);
          calls.push({
            question,
            signal,
            answer: (text) => {
              resolve(text);
              return settled();
            },
            fail: (error) => {
              reject(error);
              return settled();
            },
          });
        }),
      answered: (question, answer) => told.push(`${question}=${answer}`),
      failed: (question, error) => told.push(`${question}!${error instanceof Error ? error.message : ""}`),
    },
    100,
  );
  return { calls, told, latest };
}

describe("Latest", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("has one question under way and keeps only the newest of the others", async () => {
    const { calls, told, latest } = setUp();
    for (const question of ["a", "b", "c"]) latest.want(question);
    expect(calls.map((call) => call.question)).toEqual(["a"]);
    await calls[0]?.answer("1");
    expect(calls.map((call) => call.question)).toEqual(["a", "c"]);
    await calls[1]?.answer("3");
    expect(told).toEqual(["a=1", "c=3"]);
    expect(latest.busy).toBe(false);
  });

  it("gives up a slow one when its patience ends", async () => {
    const { calls, told, latest } = setUp();
    latest.want("a");
    await vi.advanceTimersByTimeAsync(1000);
    expect(calls[0]?.signal.aborted).toBe(false);
    latest.want("b");
    await vi.advanceTimersByTimeAsync(99);
    expect(calls[0]?.signal.aborted).toBe(false);
    latest.want("c");
    await vi.advanceTimersByTimeAsync(1);
    expect(calls[0]?.signal.aborted).toBe(true);
    expect(calls[1]?.question).toBe("c");
    await calls[0]?.answer("late");
    await calls[1]?.answer("3");
    expect(told).toEqual(["c=3"]);
  });

  it("gives up at once what is of no use any more", () => {
    const { calls, latest } = setUp();
    latest.want("a");
    latest.want("b", true);
    expect(calls[0]?.signal.aborted).toBe(true);
    expect(calls[1]?.question).toBe("b");
  });

  it("tells of failures, unless a newer question waits", async () => {
    const { calls, told, latest } = setUp();
    latest.want("a");
    await calls[0]?.fail(new Error("no"));
    latest.want("b");
    latest.want("c");
    await calls[1]?.fail(new Error("no"));
    expect(told).toEqual(["a!no"]);
    expect(calls[2]?.question).toBe("c");
  });

  it("says nothing after it was cancelled", async () => {
    const { calls, told, latest } = setUp();
    latest.want("a");
    latest.cancel();
    expect(calls[0]?.signal.aborted).toBe(true);
    await calls[0]?.fail(new Error("aborted"));
    expect(told).toEqual([]);
    expect(latest.busy).toBe(false);
  });
});
