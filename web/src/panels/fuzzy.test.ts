import { describe, expect, it } from "vitest";
import { filtered, score } from "./fuzzy";

const find = (query: string) => filtered(query, ["Split the pane right", "Figure as SVG", "Undo", "Search"], (x) => x);

describe("the fuzzy filter", () => {
  it("wants the letters in order", () => {
    expect(score("ud", "Undo")).not.toBeNull();
    expect(score("dU", "Undo")).toBeNull();
    expect(score("", "Undo")).not.toBeNull();
  });
  it("prefers beginnings of words and runs", () => {
    expect(find("spr")[0]).toBe("Split the pane right");
    expect(find("svg")).toEqual(["Figure as SVG"]);
    expect(find("se")[0]).toBe("Search");
  });
  it("keeps the order without a query", () => {
    expect(find("  ")[2]).toBe("Undo");
  });
});
