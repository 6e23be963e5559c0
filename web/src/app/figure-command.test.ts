import { describe, expect, it } from "vitest";
import { COLUMN, commandLine, isZoomedIn, paperParams } from "./figure-command";

const NONE = { highlight: [], hidden: [] };

describe("the command of a figure", () => {
  it("has the size on the page, and nothing that is as usual", () => {
    const params = new URLSearchParams({ frame: "figure", theme: "light" });
    expect(commandLine("timeline", params, NONE, COLUMN, "pdf")).toBe(
      "heddle render timeline TRACE -o timeline.pdf --width 88mm --font-size 8 --no-title --no-notes",
    );
  });

  it("says windows and times with units, functions by name, and quotes what a shell would take apart", () => {
    const params = new URLSearchParams({
      theme: "dark",
      time: "1000.4:25000",
      ranks: "0-15",
      highlight: "3,4",
      select: "function:operator()(int)",
      durations: "10000:",
      bytes: "1024:",
      nics: "0",
      tree: "1",
    });
    const names = { highlight: ["MPI_Send", "it's"], hidden: ["a b"] };
    const paper = { ...COLUMN, height: "40mm", dpi: "600", title: true, legend: false };
    expect(commandLine("calls", params, names, paper, "png")).toBe(
      "heddle render calls TRACE -o calls.png --width 88mm --height 40mm --font-size 8 --dpi 600 --no-legend --no-notes " +
        "--time 1000ns:25000ns --ranks 0-15 --theme dark --highlight 'MPI_Send,it'\\''s' --hide 'a b' " +
        "--select 'function:operator()(int)' --durations 10000ns: --bytes 1024: --no-nics --tree",
    );
  });

  it("has whole steps, and values of counters as they are", () => {
    const params = new URLSearchParams({ steps: "3.2:9.7", metric: "counter:power", range: "0:120" });
    expect(commandLine("logical", params, NONE, COLUMN, "svg")).toMatch(
      /--steps 3:10 --metric counter:power --range 0:120$/,
    );
  });

  it("asks the server for the same", () => {
    expect(paperParams({ ...COLUMN, dpi: "600" }, "pdf").toString()).toBe(
      "paper-width=88mm&paper-font-size=8&paper-title=0&paper-notes=0",
    );
    expect(isZoomedIn(new URLSearchParams({ rows: "0:4" }))).toBe(true);
    expect(isZoomedIn(new URLSearchParams({ time: "0:4" }))).toBe(false);
  });
});
