import { describe, expect, it } from "vitest";
import { type CallsPlace, HEIGHTS, MAPS, SCALES, STYLES } from "./calls-place";
import { COLOURS, type LogicalPlace, PALETTES, STEPPINGS, SWITCHES, USUAL_OPTIONS } from "./logical-place";
import {
  clampPlace,
  clampWindow,
  decodePlace,
  encodePlace,
  NOWHERE,
  type Place,
  ranksProblem,
  takeToken,
} from "./place";

/** A small generator, so that a failure can be run again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const NAMES = ["MPI_Recv", "a&b=c#d", "std::map<int, A>::find", "größe 多", "100 %", "\u202eevil", "a+b", "%41", " "];
const RANKS = ["", "0-15", "0-15,100,200-", "7"];
const LAYOUTS = ["overview", "timeline", "1c(260activity,740timeline.activity!1*)"];

function someCalls(next: () => number, window: (least: number) => [number, number]): CallsPlace {
  const pick = <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T;
  return {
    style: pick(STYLES),
    y: pick([...HEIGHTS, "metric:PAPI_L2_TCM", "metric:energy: node 3, &c"] as const),
    scale: pick(SCALES),
    opacity: { map: pick(MAPS), least: pick([0, 0.2, 0.45, 1]) },
    durations: next() < 0.5 ? null : window(0),
    bytes: next() < 0.5 ? null : window(0),
    communicator: next() < 0.5 ? null : Math.floor(next() * 1e6),
    brush: next() < 0.5 ? null : { time: window(0), values: window(0) },
    closer: next() < 0.5 ? null : window(10),
  };
}

function someLogical(next: () => number): LogicalPlace {
  const pick = <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T;
  const maybe = <T>(value: () => T) => (next() < 0.5 ? null : value());
  const options = { ...USUAL_OPTIONS, stepping: pick(STEPPINGS), phaseFunction: pick(["", ...NAMES]) };
  for (const { key } of SWITCHES) options[key] = next() < 0.5;
  return {
    steps: maybe(() => [Math.floor(next() * 1e6) / 8, 1e6 + next() * 1000].map((one) => Math.round(one * 8) / 8)) as
      | [number, number]
      | null,
    metric: pick(["lateness", "phase-differential", "counter:PAPI_L2_TCM & more"]),
    range: maybe(() => [next() - 2, 1e9 * next() + 1]),
    relative: next() < 0.5,
    aggregates: next() < 0.5,
    messages: next() < 0.5,
    colour: maybe(() => pick(COLOURS)),
    palette: pick(PALETTES),
    path: next() < 0.5,
    phase: maybe(() => Math.floor(next() * 1e6)),
    options,
  };
}

function somePlace(next: () => number): Place {
  const pick = <T>(list: T[]) => list[Math.floor(next() * list.length)] as T;
  const window = (least: number): [number, number] => {
    const from = Math.floor(next() * 1e12);
    return [from, from + least + Math.floor(next() * 1e9)];
  };
  const names = () => NAMES.filter(() => next() < 0.3);
  return {
    trace: pick(["", "t1", "a/b c"]),
    layout: pick(LAYOUTS),
    time: next() < 0.5 ? null : window(10),
    rows: next() < 0.5 ? null : window(1),
    ranks: pick(RANKS),
    highlight: names(),
    hidden: names(),
    calls: someCalls(next, window),
    logical: someLogical(next),
    selected: next() < 0.5 ? null : `${Math.floor(next() * 1e6)}:${Math.floor(next() * 1e9)}`,
    stop: next() < 0.5 ? null : 1 + Math.floor(next() * 99),
  };
}

describe("the text of a place", () => {
  it("reads back what it wrote", () => {
    const next = random(7);
    for (let i = 0; i < 500; i += 1) {
      const place = somePlace(next);
      expect(decodePlace(encodePlace(place))).toEqual(place);
    }
  });

  it("never fails, and always gives a place that reads back the same", () => {
    const next = random(11);
    for (let i = 0; i < 500; i += 1) {
      const letters = [...encodePlace(somePlace(next))];
      for (let k = 0; k < 4; k += 1) {
        letters[Math.floor(next() * letters.length)] = String.fromCharCode(Math.floor(next() * 128));
      }
      const place = decodePlace(`#${letters.join("")}`);
      expect(decodePlace(encodePlace(place))).toEqual(place);
    }
  });

  it("keeps what is valid beside what is broken", () => {
    const place = decodePlace("#v=1&trace=t1&time=9:x&rows=5:2&ranks=4-,x&select=7:8&highlight=&highlight=f");
    expect(place).toEqual({ ...NOWHERE, layout: "overview", trace: "t1", selected: "7:8", highlight: ["f"] });
  });

  it("leaves the layout to the page only if it says nothing at all", () => {
    expect(decodePlace("#v=1&trace=t1").layout).toBe("");
    expect(decodePlace("#v=1&trace=t1&time=0:100").layout).toBe("overview");
    expect(decodePlace("#v=1&trace=t1&layout=logical").layout).toBe("logical");
    expect(encodePlace({ ...NOWHERE, trace: "t1", layout: "overview" })).toBe("v=1&trace=t1&layout=overview");
  });

  it("trusts another version with the trace only", () => {
    expect(decodePlace("#v=2&trace=t1&time=0:100")).toEqual({ ...NOWHERE, trace: "t1" });
  });

  it("leaves defaults out", () => {
    expect(encodePlace(NOWHERE)).toBe("v=1");
  });
});

describe("the token", () => {
  it("is taken out of the fragment, and the rest kept", () => {
    expect(takeToken("#token=ab12&v=1&trace=t1")).toEqual({ token: "ab12", rest: "v=1&trace=t1" });
    expect(takeToken("#v=1")).toEqual({ token: null, rest: "v=1" });
    expect(takeToken("")).toEqual({ token: null, rest: "" });
  });
});

describe("clamping", () => {
  it("moves a window that hangs over, and keeps its width", () => {
    expect(clampWindow([-50, 50], 1000, 10)).toEqual([0, 100]);
    expect(clampWindow([950, 1050], 1000, 10)).toEqual([900, 1000]);
    expect(clampWindow([500, 501], 1000, 10)).toEqual([500, 510]);
    expect(clampWindow([600, 400], 1000, 10)).toEqual([400, 600]);
    expect(clampWindow([-1, 5000], 1000, 10)).toEqual([0, 1000]);
  });

  it("always gives a window inside, of whole numbers", () => {
    const next = random(3);
    for (let i = 0; i < 1000; i += 1) {
      const end = 1 + Math.floor(next() * 1e6);
      const [from, to] = clampWindow([(next() - 0.5) * 3e6, (next() - 0.5) * 3e6], end, 10);
      expect(from).toBeGreaterThanOrEqual(0);
      expect(to).toBeLessThanOrEqual(Math.max(end, 10));
      expect(to - from).toBeGreaterThanOrEqual(10);
      expect(Number.isInteger(from) && Number.isInteger(to)).toBe(true);
    }
  });

  it("says null for everything", () => {
    expect(clampPlace({ ...NOWHERE, time: [0, 1000], rows: [0, 16] }, 1000, 16)).toEqual(NOWHERE);
  });
});

describe("a filter of ranks", () => {
  it("explains what is wrong", () => {
    expect(ranksProblem("0-15,100,200-")).toBeNull();
    expect(ranksProblem("")).toBeNull();
    expect(ranksProblem(" 1 , 2 - 3 ")).toBeNull();
    expect(ranksProblem("15-0")).toContain("backwards");
    expect(ranksProblem("a")).toContain("“a”");
    expect(ranksProblem("1,,2")).not.toBeNull();
    expect(ranksProblem("-5")).not.toBeNull();
  });
});
