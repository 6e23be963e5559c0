import { describe, expect, it } from "vitest";
import type { FindingTold } from "../api/types";
import { closeUpOf, timeAround } from "./close-up";

const END = 1_000_000_000;
const finding = (since: number, until: number, is_throughout = false) =>
  ({ since_ns: String(since), until_ns: String(until), is_throughout, window: ["0", String(END)] }) as FindingTold;
const path = (hops: number) => ({ path: { hops, parts: [] } });

describe("a close-up", () => {
  it("shows what happened once with time around it", () => {
    const [from, to] = closeUpOf(finding(500_000_000, 510_000_000), path(10_000), END);
    expect([from, to]).toEqual([485_000_000, 525_000_000]);
    // A short one needs the moves of the path around it.
    expect(closeUpOf(finding(500_000_000, 500_001_000), path(1000), END)).toEqual([492_000_500, 508_000_500]);
  });

  it("shows where something sets in, a little after the left edge", () => {
    const [from, to] = closeUpOf(finding(400_000_000, END), path(1000), END);
    expect(to - from).toBe(16_000_000);
    expect((400_000_000 - from) / (to - from)).toBeCloseTo(0.25, 6);
  });

  it("shows where what lasts costs most, if that is short", () => {
    const lasting = finding(0, END, true);
    expect(closeUpOf({ ...lasting, window: ["300000000", "350000000"] }, path(10), END)).toEqual([3e8, 3.5e8]);
    // Nearly all of the run is no close-up.
    expect(closeUpOf({ ...lasting, window: ["300000000", "800000000"] }, path(1000), END)).toEqual([4.92e8, 5.08e8]);
  });

  it("shows a piece from the middle of what goes on throughout", () => {
    expect(closeUpOf(finding(0, END, true), path(1000), END)).toEqual([492_000_000, 508_000_000]);
  });

  it("is never more than a tenth of a run whose path hardly moves", () => {
    const [from, to] = closeUpOf(finding(0, END, true), path(0), END);
    expect(to - from).toBe(END / 10);
  });

  it("stays inside the run, and is never empty", () => {
    expect(closeUpOf(finding(0, 1_000_000), path(100), END)[0]).toBe(0);
    expect(closeUpOf(finding(END - 1_000_000, END), path(100), END)[1]).toBe(END);
    const [from, to] = closeUpOf(finding(3, 3), path(0), 20);
    expect(to - from).toBe(10);
    expect(from).toBeGreaterThanOrEqual(0);
  });
});

describe("the time around a close-up", () => {
  it("is the whole run, unless it would be lost in it", () => {
    expect(timeAround([4e8, 4.2e8], END)).toEqual([0, END]);
    expect(timeAround([400_000_000, 400_010_000], END)).toEqual([399_755_000, 400_255_000]);
    expect(timeAround([0, 1000], END)).toEqual([0, 50_000]);
  });
});
