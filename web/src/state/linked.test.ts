import { describe, expect, it } from "vitest";
import { linked, loose } from "./linked";
import { USUAL_OPTIONS } from "./logical-place";
import { NOWHERE, type Place } from "./place";

const at = (change: Partial<Place>, steps: [number, number] | null = null): Place => ({
  ...NOWHERE,
  trace: "t",
  layout: "logical",
  ...change,
  logical: { ...NOWHERE.logical, ...change.logical, steps },
});

describe("linked windows", () => {
  const here = at({ time: [100, 200] }, [3, 9]);

  it("lets the one that moved drive", () => {
    expect(linked(here, at({ time: [110, 210] }, [3, 9])).moved).toBe("time");
    expect(linked(here, at({ time: [100, 200] }, [4, 10])).moved).toBe("steps");
  });

  it("leaves them alone when both are said, or neither", () => {
    expect(linked(here, at({ time: [110, 210] }, [4, 10])).moved).toBeNull();
    expect(linked(here, at({ time: [100, 200], selected: "1:1" }, [3, 9])).moved).toBeUndefined();
  });

  it("shows all steps of the whole run, without a question", () => {
    const { next, moved } = linked(here, at({ time: null }, [3, 9]));
    expect([next.logical.steps, moved]).toEqual([null, null]);
    expect(linked(here, at({ time: [100, 200] })).moved).toBe("steps");
  });

  it("keeps the time when other options make other steps", () => {
    const options = { ...USUAL_OPTIONS, leapMerge: true };
    const { next, moved } = linked(here, at({ time: [100, 200], logical: { ...here.logical, options } }, [3, 9]));
    expect([next.time, next.logical.steps, moved]).toEqual([[100, 200], null, "time"]);
  });

  it("forgets the steps where nobody sees them, and asks again where somebody does", () => {
    const plain = at({ layout: "overview", time: [100, 200] }, [3, 9]);
    expect(linked(plain, { ...plain, selected: "1:1" }).next.logical.steps).toEqual([3, 9]);
    const moved = linked(plain, { ...plain, time: [0, 50] }).next;
    expect(moved.logical.steps).toBeNull();
    expect(linked(moved, { ...moved, layout: "logical" }).moved).toBe("time");
    expect(linked(plain, { ...plain, layout: "logical" }).moved).toBeNull();
  });

  it("takes a link at its word, and lets what it says drive what it does not", () => {
    expect(loose(here)).toBeNull();
    expect(loose(at({ time: [100, 200] }))).toBe("time");
    expect(loose(at({}, [3, 9]))).toBe("steps");
    expect(loose(at({ layout: "1c(500timeline,500logical)" }, [3, 9]))).toBe("steps");
    expect(loose(at({ layout: "overview" }, [3, 9]))).toBeNull();
  });
});
