import { describe, expect, it } from "vitest";
import { switched } from "./axes";
import { moved } from "./legend";
import { planeOf } from "./planes";
import { partNow, windowsOf } from "./player-parts";

describe("the handles of the legend", () => {
  it("leave something out below, clamp above, and stay apart", () => {
    expect(moved([0, 200], [0, 200], 0, 0.25)).toEqual([50, 200]);
    expect(moved([50, 200], [0, 200], 1, 0.5)).toEqual([50, 100]);
    expect(moved([50, 100], [0, 200], 0, 0.9)?.[0]).toBeLessThan(100);
    expect(moved([50, 100], [0, 200], 1, 0)?.[1]).toBeGreaterThan(50);
  });

  it("are as usual at both ends, exactly", () => {
    expect(moved([50, 123456.789], [0, 123456.789], 0, -1)).toBeNull();
    expect(moved([0, 100], [0, 123456.789], 1, 2)).toBeNull();
  });
});

it("keeps at least one direction drawn", () => {
  const only = { across: true, down: false, along: false };
  expect(switched(only, "across")).toEqual(only);
  expect(switched(only, "down")).toEqual({ across: true, down: true, along: false });
});

it("knows a plane from other nodes", () => {
  expect(planeOf("nodes:*,*,5", 3)).toEqual({ dim: 2, at: 5 });
  for (const other of [null, "nodes:1,2,3", "nodes:*,*,*", "nodes:*,*,5;1,1,1", "nodes:*,*,1-2", "ranks:1"])
    expect(planeOf(other, 3)).toBeNull();
});

describe("the parts that one steps through", () => {
  it("fill the run", () => {
    expect(windowsOf(100, 4)).toEqual([
      [0, 25],
      [25, 50],
      [50, 75],
      [75, 100],
    ]);
    expect(windowsOf(10, 4).at(-1)).toEqual([9, 10]);
    expect(windowsOf(2, 50)).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  it("are found by where they end", () => {
    const all = windowsOf(100, 4).map((time) => ({ name: "", time }));
    expect(partNow(all, null, null)).toBe(-1);
    expect(partNow(all, [25, 50], null)).toBe(1);
    expect(partNow(all, [0, 75], null)).toBe(2);
    // Somewhere else: the next one begins where that ends.
    expect(partNow(all, [30, 60], null)).toBe(1);
    expect(partNow([{ name: "a", section: 0 }], null, [0])).toBe(0);
    expect(partNow([{ name: "a", section: 0 }], null, null)).toBe(-1);
  });
});
