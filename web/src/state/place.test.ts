import { describe, expect, it } from "vitest";
import { OPTIONS, SELECTIONS } from "../api/options";
import { changed, OPTION_NAMES, type Options } from "./options";
import {
  clampPlace,
  clampSteps,
  clampWindow,
  decodePlace,
  encodePlace,
  isCall,
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
const LAYOUTS = ["overview", "timeline", "1c(260activity,740timeline.activity!1*)", "1fattree(as=lb~split=3,7;4,1)"];

const TEXTS: Partial<Record<string, string[]>> = {
  y: ["bytes", "rank", "counter:PAPI_L2_TCM", "counter:energy: node 3, &c"],
  scope: ["run", "phase:12", "steps:3:40"],
  focus: ["medoid", "8426"],
  open: ["none", "20,24,31"],
  turn: ["35:-22", "-120.5:90"],
  aim: ["0.25:0:-12"],
  within: ["3,7"],
  split: ["3,7", "3,7;4,1"],
  metric: ["lateness", "phase-differential", "counter:PAPI_L2_TCM & more"],
};

/** About half of all options, each some value that it may have. */
function someOptions(next: () => number): Options {
  const pick = <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T;
  const said: Record<string, unknown> = {};
  for (const name of OPTION_NAMES.filter(() => next() < 0.5)) {
    const spec = OPTIONS[name];
    if (spec.kind === "switch") said[name] = next() < 0.5;
    if (spec.kind === "word") said[name] = pick(spec.words);
    if (spec.kind === "text") said[name] = pick(TEXTS[name] ?? NAMES);
    if (spec.kind === "id") said[name] = Math.floor(next() * 1e6);
    if (spec.kind === "number") {
      const number = spec.least + next() * (spec.most - spec.least);
      said[name] = spec.whole ? Math.round(number) : number;
    }
    if (spec.kind === "range") {
      const from = spec.whole ? Math.floor(next() * 1e9) : next() - 2;
      said[name] = [from, spec.whole ? from + Math.floor(next() * 1e9) : 1e9 * next() + 1];
    }
  }
  return changed({}, said as Options);
}

function somePlace(next: () => number): Place {
  const pick = <T>(list: T[]) => list[Math.floor(next() * list.length)] as T;
  const window = (least: number): [number, number] => {
    const from = Math.floor(next() * 1e12);
    return [from, from + least + Math.floor(next() * 1e9)];
  };
  const names = () => NAMES.filter(() => next() < 0.3);
  const selected = next() < 0.5 ? null : pick([...SELECTIONS, ...NAMES.map((name) => `function:${name}`)]);
  return {
    trace: pick(["", "t1", "a/b c"]),
    layout: pick(LAYOUTS),
    time: next() < 0.5 ? null : window(10),
    rows: next() < 0.5 ? null : window(1),
    across: next() < 0.5 ? null : window(2000),
    down: next() < 0.5 ? null : window(2000),
    ranks: pick(RANKS),
    highlight: names(),
    hidden: names(),
    steps: next() < 0.5 ? null : [Math.floor(next() * 1e6) / 8, 1e6 + Math.round(next() * 8000) / 8],
    columns: next() < 0.5 ? null : window(1),
    closer: next() < 0.5 ? null : window(10),
    options: someOptions(next),
    selected,
    within: isCall(selected) && next() < 0.5 ? "window:5:10:1.5:2000" : null,
    stop: next() < 0.5 ? null : 1 + Math.floor(next() * 99),
    note: next() < 0.5 ? null : Math.floor(next() * 1e9).toString(36),
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
    expect(place).toEqual({ ...NOWHERE, layout: "overview", trace: "t1", selected: "span:7:8", highlight: ["f"] });
  });

  it("leaves the layout to the page only if it says nothing at all", () => {
    expect(decodePlace("#v=1&trace=t1").layout).toBe("");
    expect(decodePlace("#v=1&trace=t1&time=0:100").layout).toBe("overview");
    expect(decodePlace("#v=1&trace=t1&layout=logical").layout).toBe("logical");
    expect(encodePlace({ ...NOWHERE, trace: "t1", layout: "overview" })).toBe("v=1&trace=t1&layout=overview");
  });

  it("drops a selection of a kind that only a newer Heddle knows", () => {
    expect(decodePlace("#v=1&trace=t1&select=group:4").selected).toBeNull();
  });

  it("trusts another version with the trace only", () => {
    expect(decodePlace("#v=2&trace=t1&time=0:100")).toEqual({ ...NOWHERE, trace: "t1" });
  });

  it("leaves defaults out", () => {
    expect(encodePlace(NOWHERE)).toBe("v=1");
  });
});

describe("older links", () => {
  const read = (text: string) => decodePlace(`#v=1&trace=t1&${text}`);

  it("select spans without a word for them", () => {
    expect(read("layout=timeline&time=107500000:150000000&rows=222:242&select=224:231")).toEqual({
      ...NOWHERE,
      trace: "t1",
      layout: "timeline",
      time: [107_500_000, 150_000_000],
      rows: [222, 242],
      selected: "span:224:231",
    });
  });

  it("have a rectangle or a phase beside the selection", () => {
    expect(read("brush=5:10:1.5:2000").selected).toBe("window:5:10:1.5:2000");
    expect(read("phase=12").selected).toBe("phase:12");
    expect(read("phase=12&brush=5:10:0:9&select=1:2").selected).toBe("span:1:2");
    for (const broken of ["brush=5:10:9", "brush=", "phase=-1"]) expect(read(broken).selected).toBeNull();
  });

  it("have a switch for the path of a cause, and counters by another word", () => {
    const link = "layout=logical&time=361137:910872&select=15:10&steps=0:12&path=1&leap-merge=1&y=metric:PAPI_TOT_INS";
    expect(read(link)).toEqual({
      ...NOWHERE,
      trace: "t1",
      layout: "logical",
      time: [361_137, 910_872],
      steps: [0, 12],
      selected: "span:15:10",
      options: { "leap-merge": true, y: "counter:PAPI_TOT_INS" },
    });
  });

  it("say their options as links do today", () => {
    const link = "style=lines&y=bytes&scale=linear&opacity=alpha&omin=0.2&durations=1000:9000000000000000&bytes=1:64";
    expect(read(`${link}&communicator=3&closer=10:90&relative=1&aggregates=0&colour=phase`)).toMatchObject({
      closer: [10, 90],
      options: {
        style: "lines",
        y: "bytes",
        scale: "linear",
        opacity: "alpha",
        omin: 0.2,
        durations: [1000, 9e15],
        bytes: [1, 64],
        communicator: 3,
        relative: true,
        aggregates: false,
        colour: "phase",
      },
    });
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
    const place: Place = { ...NOWHERE, time: [0, 1000], rows: [0, 16], columns: [0, 8] };
    expect(clampPlace(place, { time: 1000, rows: 16, columns: 8 })).toEqual(NOWHERE);
  });

  it("leaves what is not known yet as it is", () => {
    const place: Place = { ...NOWHERE, steps: [3, 900], columns: [2, 70] };
    expect(clampPlace(place, { time: 1000, rows: 16, steps: null })).toEqual(place);
    expect(clampPlace(place, { time: 1000, rows: 16, steps: 100, columns: 50 })).toMatchObject({
      steps: null,
      columns: null,
    });
  });

  it("keeps steps inside, moved rather than cut, and all of them are null", () => {
    expect(clampSteps([-2, 8], 100)).toEqual([0, 10]);
    expect(clampSteps([95.5, 105.5], 100)).toEqual([90, 100]);
    expect(clampSteps([40.1234567, 50.1234567], 100)).toEqual([40.123, 50.123]);
    expect(clampSteps([5, 5.1], 100)).toEqual([5, 6]);
    expect(clampSteps([-5, 500], 100)).toBeNull();
    expect(clampSteps([0, 1], 0)).toBeNull();
    expect(clampSteps([99.9, 100], 100)).toEqual([99, 100]);
    for (const broken of ["9:3", "1:1.5", "a:b"]) expect(decodePlace(`#v=1&steps=${broken}`).steps).toBeNull();
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
