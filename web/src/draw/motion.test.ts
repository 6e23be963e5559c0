/** Where messages are at a moment, and what links show then. */
import { describe, expect, it } from "vitest";
import type { Moving, Shares } from "../scene/motion";
import { ActivityNow } from "./motion-activity";
import { Dots, NUMBERS, nextEvent } from "./motion-dots";

const NOTHING = Number.NaN;

/** One message of 10 ns along x from 0 to 1, then out at 2 and in again at -1, to 0. */
const moving: Moving = {
  from: 1000,
  until: 1100,
  inFlight: 0,
  note: null,
  selected: null,
  selectedWay: [0, 0],
  dot: 1,
  title: "",
  colours: [],
  ends: ["", ""],
  count: 2,
  row: Float64Array.of(5, 6),
  start: Float64Array.of(10, 18),
  end: Float64Array.of(20, 40),
  share: Float32Array.of(0.5, 1),
  first: Uint32Array.of(0, 6),
  points: Uint32Array.of(6, 2),
  place: Float32Array.from(
    [
      [0, 0, 0, 0],
      [1, 0, 0, 0.5],
      [2, 0, 0, 0.75],
      [NOTHING, NOTHING, NOTHING, 0.75],
      [-1, 0, 0, 0.75],
      [0, 0, 0, 1],
      [0, 4, 0, 0],
      [0, 8, 0, 1],
    ].flat(),
  ),
};

function at(moment: number, withPipes = false): { dots: Dots; places: number[][] } {
  const dots = new Dots();
  dots.place(moving, moment, withPipes);
  const places = Array.from({ length: dots.count }, (_, dot) => [...dots.data.slice(dot * NUMBERS, dot * NUMBERS + 3)]);
  return { dots, places };
}

describe("messages at a moment", () => {
  it("are where their share of time says, and jump over breaks", () => {
    expect(at(1005).places).toEqual([]);
    expect(at(1010).places).toEqual([[0, 0, 0]]);
    expect(at(1012.5).places).toEqual([[0.5, 0, 0]]);
    expect(at(1016.25).places).toEqual([[1.5, 0, 0]]);
    const both = at(1018.75);
    expect(both.places[0]).toEqual([-0.5, 0, 0]);
    expect([both.dots.inFlight, both.places.length]).toEqual([2, 2]);
    expect(at(1020).places.length).toBe(1);
    expect(at(1040).dots.inFlight).toBe(0);
  });

  it("have pipes along what they have passed", () => {
    const { dots } = at(1016.25, true);
    expect(dots.pipeCount).toBe(2);
    expect([...dots.pipes.slice(7, 14)]).toEqual([1, 0, 0, 1.5, 0, 0, 0.5]);
  });

  it("are stepped through, event by event", () => {
    expect([nextEvent(moving, 1000), nextEvent(moving, 1010), nextEvent(moving, 1018)]).toEqual([1010, 1018, 1020]);
    expect(nextEvent(moving, 1040)).toBeNull();
  });
});

describe("what links show", () => {
  const shares: Shares = {
    count: 2,
    values: Uint8Array.of(200, 0, 0, 10, 0, 255, 100, 0),
    largest: "",
    sum: 300,
    sumText: "",
  };
  const shown = (bin: number, what: "now" | "sum", from = -1) => {
    const now = new ActivityNow(shares, 4, 0.5);
    if (from >= 0) now.show(from, what);
    now.show(bin, what);
    return [...now.values];
  };

  it("fades when it is over, by the same way from wherever one comes", () => {
    expect([0, 1, 2, 3].map((bin) => shown(bin, "now"))).toEqual([
      [200, 0],
      [100, 10],
      [50, 255],
      [100, 127],
    ]);
    expect(shown(3, "now", 1)).toEqual(shown(3, "now"));
    expect(shown(1, "now", 3)).toEqual(shown(1, "now"));
  });

  it("is the sum since the window began, on the scale of its end", () => {
    expect(shown(3, "sum")).toEqual([255, Math.floor((265 * 255) / 300)]);
    expect(shown(1, "sum", 3)).toEqual(shown(1, "sum"));
    const now = new ActivityNow(shares, 4, 0.5);
    expect([now.show(1, "now"), now.show(1, "now"), now.show(1, "sum")]).toEqual([true, false, true]);
  });
});
