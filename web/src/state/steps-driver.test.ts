import { describe, expect, it } from "vitest";
import { NOWHERE, type Place } from "./place";
import { driven, loose } from "./steps-driver";
import "./views-for-tests";

const at = (change: Partial<Place>, steps: [number, number] | null = null): Place => ({
  ...NOWHERE,
  trace: "t",
  layout: "logical",
  ...change,
  steps,
});

describe("linked windows", () => {
  const here = at({ time: [100, 200] }, [3, 9]);

  it("lets the one that moved drive", () => {
    expect(driven(here, at({ time: [110, 210] }, [3, 9])).moved).toBe("time");
    expect(driven(here, at({ time: [100, 200] }, [4, 10])).moved).toBe("steps");
  });

  it("leaves them alone when both are said, or neither", () => {
    expect(driven(here, at({ time: [110, 210] }, [4, 10])).moved).toBeNull();
    expect(driven(here, at({ time: [100, 200], selected: "span:1:1" }, [3, 9])).moved).toBeUndefined();
  });

  it("shows all steps of the whole run, without a question", () => {
    const { next, moved } = driven(here, at({ time: null }, [3, 9]));
    expect([next.steps, moved]).toEqual([null, null]);
    expect(driven(here, at({ time: [100, 200] })).moved).toBe("steps");
  });

  it("keeps the time when other options make other steps", () => {
    const { next, moved } = driven(here, at({ time: [100, 200], options: { "leap-merge": true } }, [3, 9]));
    expect([next.time, next.steps, moved]).toEqual([[100, 200], null, "time"]);
  });

  it("keeps the steps that a stop of another trace says, and forgets those that it does not", () => {
    const stop = driven(here, at({ trace: "u", time: [110, 210] }, [20, 46]));
    expect([stop.next.steps, stop.moved]).toEqual([[20, 46], null]);
    const other = driven(here, at({ trace: "u", time: [100, 200] }, [3, 9]));
    expect([other.next.steps, other.moved]).toEqual([null, "time"]);
  });

  it("keeps the steps when another metric is made of them", () => {
    const { next, moved } = driven(here, at({ time: [100, 200], options: { metric: "duration" } }, [3, 9]));
    expect([next.steps, moved]).toEqual([[3, 9], undefined]);
  });

  it("forgets the steps where nobody sees them, and asks again where somebody does", () => {
    const plain = at({ layout: "overview", time: [100, 200] }, [3, 9]);
    expect(driven(plain, { ...plain, selected: "span:1:1" }).next.steps).toEqual([3, 9]);
    const moved = driven(plain, { ...plain, time: [0, 50] }).next;
    expect(moved.steps).toBeNull();
    expect(driven(moved, { ...moved, layout: "logical" }).moved).toBe("time");
    expect(driven(plain, { ...plain, layout: "logical" }).moved).toBeNull();
  });

  it("takes a link at its word, and lets what it says drive what it does not", () => {
    expect(loose(here)).toBeNull();
    expect(loose(at({ time: [100, 200] }))).toBe("time");
    expect(loose(at({}, [3, 9]))).toBe("steps");
    expect(loose(at({ layout: "1c(500timeline,500logical)" }, [3, 9]))).toBe("steps");
    expect(loose(at({ layout: "overview" }, [3, 9]))).toBeNull();
  });
});
