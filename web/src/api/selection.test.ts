import { describe, expect, it } from "vitest";
import { SELECTIONS } from "./options";
import { formatSelection, parseSelection, readSelection } from "./selection";

describe("the text of a selection", () => {
  it("reads back what it wrote, for every kind that the server has", () => {
    for (const text of SELECTIONS) {
      const selected = parseSelection(text);
      expect(selected, text).not.toBeNull();
      expect(selected && formatSelection(selected)).toBe(text);
      expect(text.startsWith(`${selected?.kind}:`)).toBe(true);
    }
  });

  it("keeps numbers that a number of the page cannot hold", () => {
    expect(readSelection("span:4294967295:9999999999999999999")).toBe("span:4294967295:9999999999999999999");
  });

  it("takes two numbers for a span, as older links write it", () => {
    expect(readSelection("224:231")).toBe("span:224:231");
  });

  it("lets a function have any name", () => {
    for (const name of ["std::map<int, A>::find", "a:b", "größe 多", "window:1:2"])
      expect(parseSelection(`function:${name}`)).toEqual({ kind: "function", name });
  });

  it("knows a stretch of time from a rectangle", () => {
    expect(parseSelection("window:5:10")).toEqual({ kind: "window", time: [5, 10], values: null });
    expect(parseSelection("window:5:10:1.5:2e3")).toEqual({ kind: "window", time: [5, 10], values: [1.5, 2000] });
  });

  it("is none where it is broken, or of a kind that this page does not know", () => {
    const broken = [
      "",
      "span",
      "span:",
      "span:1",
      "span:a:b",
      "event:1",
      "message:1:2",
      "phase:-1",
      "ranks:",
      "ranks:a",
    ];
    broken.push(
      "function:",
      "window:5",
      "window:9:5",
      "window:5:10:7",
      "window:5:10:8:7",
      "window:1:99999999999999999",
    );
    broken.push("area:5:10", "area:9:5:0", "area:5:10:", "area:5:10:x", "area:5:10:0:1");
    broken.push("messages:1", "messages:1>", "messages:1>2:x", "messages:1>2:3:4", "messages:1:2>3");
    broken.push("calls:1:2:0", "calls:2:2:0:f", "calls:1:2:x:f", "calls:1:2:0:");
    broken.push("nodes:", "nodes:1,b", "nodes:1,,2", "link:1,2,3", "link:1>", "link:a>b");
    broken.push("group:4", "cluster:x", "constructor:1", "toString:1:2", ":1", `function:${"x".repeat(9000)}`);
    for (const text of broken) expect(parseSelection(text), text).toBeNull();
    expect(readSelection(null)).toBeNull();
  });
});
