import { describe, expect, it } from "vitest";
import { ANALYSES, OPTIONS, type OptionName, VIEWS } from "../api/options";
import { changed, decidingOptions, decodeOptions, OPTION_NAMES, optionOf, paramsOf, tied, usual } from "./options";

const read = (text: string) => decodeOptions(new URLSearchParams(text));

describe("options of a link", () => {
  it("leave out what is broken, and what is as usual", () => {
    const broken = ["range=5:5", "range=1:2:3", "range=:", "durations=9:3", "durations=1.5:2", "bytes=-1:5"];
    broken.push(
      "omin=2",
      "omin=",
      "omin=x",
      "communicator=-1",
      "communicator=1e3",
      "metric=",
      "y=height",
      "y=counter:",
    );
    broken.push("colour=red", "palette=", "stepping=x", "common-caller=yes", `y=counter:${"x".repeat(2000)}`);
    broken.push("style=points-end", "omin=0.4", "messages=1", "relative=0", "colour=");
    for (const text of broken) expect(read(text), text).toEqual({});
  });

  it("have the names and values of the command line", () => {
    expect(read("common-caller=0&leap-merge=1&stepping=earliest&phase-function=step()&messages=0")).toEqual({
      "common-caller": false,
      "leap-merge": true,
      stepping: "earliest",
      "phase-function": "step()",
      messages: false,
    });
    expect(read("y=counter:PAPI_L2_TCM&style=lines&omin=0.25&communicator=7&range=-0.5:3e9")).toEqual({
      y: "counter:PAPI_L2_TCM",
      style: "lines",
      omin: 0.25,
      communicator: 7,
      range: [-0.5, 3e9],
    });
  });

  it("may leave an end of a range open", () => {
    expect(read("durations=1000:&bytes=:64")).toEqual({ durations: [1000, 9e15], bytes: [0, 64] });
  });
});

describe("options of a question", () => {
  it("are those of the view that are not as usual", () => {
    const options = { style: "lines", metric: "duration", durations: [5, 9], messages: true } as const;
    expect(paramsOf(options, VIEWS.calls?.options ?? []).toString()).toBe("style=lines&durations=5%3A9");
    expect(paramsOf(options, ANALYSES.logical).toString()).toBe("metric=duration");
    expect(paramsOf({}, OPTION_NAMES).toString()).toBe("");
  });
});

describe("a change of options", () => {
  it("puts back what is as usual again, also a range of the same ends", () => {
    const options = changed({}, { style: "lines", range: [1, 2], omin: 0.5 });
    expect(options).toEqual({ style: "lines", range: [1, 2], omin: 0.5 });
    expect(changed(options, { style: "points-end", range: null, omin: usual("omin") })).toEqual({});
  });

  it("forgets where colours end with another metric, and with other steps", () => {
    const before = { range: [0, 9], metric: "duration" } as const;
    expect(tied(before, null, { metric: "lateness" }).options).toEqual({});
    expect(tied(before, null, { metric: "duration" }).options).toEqual(before);
    expect(tied(before, null, { "leap-merge": true }).options).toEqual({ metric: "duration", "leap-merge": true });
    expect(tied(before, null, { palette: "sequential" }).options).toEqual({ ...before, palette: "sequential" });
    // Whoever says both means both.
    expect(tied(before, null, { metric: "lateness", range: [1, 2] }).options).toEqual({ range: [1, 2] });
  });

  it("forgets phases and events of other steps, and rectangles of other heights", () => {
    const kept = (selected: string, change: Parameters<typeof tied>[2]) => tied({}, selected, change).selected;
    for (const lost of ["phase:3", "event:1:2"]) expect(kept(lost, { "same-size": true }), lost).toBeNull();
    expect(kept("phase:3", { metric: "duration" })).toBe("phase:3");
    expect(kept("span:1:2", { "same-size": true })).toBe("span:1:2");
    expect(kept("window:1:2:3:4", { y: "bytes" })).toBeNull();
    expect(kept("window:1:2:3:4", { y: "duration", style: "lines" })).toBe("window:1:2:3:4");
  });
});

describe("what is generated", () => {
  it("has a usual value for every option, of a kind that can be written and read", () => {
    for (const name of OPTION_NAMES) expect(optionOf({}, name)).toEqual(OPTIONS[name].usual);
  });

  it("names no option in a view or an analysis that there is not", () => {
    const named: OptionName[] = [...Object.values(VIEWS).flatMap(({ options }) => options), ...ANALYSES.logical];
    for (const name of named) expect(OPTION_NAMES).toContain(name);
    expect(decidingOptions("logical")).not.toContain("metric");
  });
});

it("are called otherwise than what else links and questions say", () => {
  const others = [
    ...["v", "trace", "layout", "stop", "token", "time", "steps", "rows", "columns", "across", "down", "closer"],
    ...["ranks", "highlight", "hide", "select", "chosen-from", "frame", "theme", "width", "height", "names", "main"],
    ...["at_x", "at_y", "solid", "area", "choose"],
  ];
  expect(OPTION_NAMES.filter((name) => others.includes(name))).toEqual([]);
});
