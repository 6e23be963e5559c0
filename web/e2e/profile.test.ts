/** Profile and histogram: tables and cells that say what is under the pointer, and select it. */
import { describe, expect, it } from "vitest";
import { open } from "./harness/visit";

describe("the profile", () => {
  it("names the function under the pointer, with the ranks that differ, and selects it", async () => {
    const visit = await open("slow", { at: "layout=profile" });
    await visit.drawn();
    const box = await visit.pane("profile").boundingBox();
    if (box === null) throw new Error("no pane");
    const row = { x: box.x + 60, y: box.y + 2 + 24 + 11 };
    await visit.page.mouse.move(row.x, row.y);
    await expect.poll(() => visit.get("tooltip").innerText()).toMatch(/exclusive.*calls.*most .* on rank \d+/s);
    await visit.page.mouse.click(row.x, row.y);
    await expect.poll(() => visit.field("select")).toMatch(/^function:/);
  });

  it("is sorted and becomes a tree, both part of the link", async () => {
    const visit = await open("slow", { at: "layout=profile" });
    const first = await visit.picture(visit.pane("profile"));
    await visit.page.getByLabel("Sort by").selectOption("name");
    await expect.poll(() => visit.field("sort")).toBe("name");
    const byName = await visit.picture(visit.pane("profile"));
    expect(byName.equals(first)).toBe(false);
    await visit.page.getByLabel("Call tree").check();
    await expect.poll(() => visit.field("tree")).toBe("1");
    expect((await visit.picture(visit.pane("profile"))).equals(byName)).toBe(false);
  });

  it("follows the window, the filter of ranks and hidden functions", async () => {
    const visit = await open("slow", { at: "layout=1profile" });
    const whole = await visit.picture(visit.pane("profile"));
    for (const at of ["time=1000000:9000000", "ranks=0-3", "hide=MPI_Waitall"]) {
      const other = await open("slow", { at: `layout=1profile&${at}` });
      expect((await other.picture(other.pane("profile"))).equals(whole), at).toBe(false);
    }
  });
});

describe("the histogram", () => {
  it("counts the calls of the function that is chosen, and a click selects the longest of a cell", async () => {
    const visit = await open("slow", { at: "layout=1histogram" });
    const usual = await visit.picture(visit.pane("histogram"));
    await visit.page.getByLabel("Function", { exact: true }).selectOption("MPI_Waitall");
    await expect.poll(() => visit.field("function")).toBe("MPI_Waitall");
    expect((await visit.picture(visit.pane("histogram"))).equals(usual)).toBe(false);
    // Every rank has short calls: the first column is full.
    const point = await visit.plotPoint("histogram", 0.0015, 0.5);
    await visit.page.mouse.move(point.x, point.y);
    await expect.poll(() => visit.get("tooltip").innerText()).toMatch(/MPI_Waitall · rank \d+.*calls?, .* together/s);
    await visit.page.mouse.click(point.x, point.y);
    await expect.poll(() => visit.field("select")).toMatch(/^span:/);
  });

  it("tells the calls of some durations on some ranks that a rectangle marks off", async () => {
    const visit = await open("slow", { at: "layout=1histogram&function=MPI_Waitall" });
    await visit.drawn();
    const [from, to] = [await visit.plotPoint("histogram", 0.001, 0.1), await visit.plotPoint("histogram", 0.4, 0.4)];
    await visit.page.keyboard.down("Alt");
    await visit.drag(from, to);
    await visit.page.keyboard.up("Alt");
    await expect.poll(() => visit.field("select")).toMatch(/^calls:\d+:\d+:\d+-\d+:MPI_Waitall$/);
    const facts = visit.get("calls-facts");
    await expect.poll(() => facts.innerText()).toMatch(/Calls\s+[\d,]+, [\d.]+ % of [\d,]+/);
  });

  it("has durations on a linear axis too, and colours by time", async () => {
    const visit = await open("slow", { at: "layout=1histogram&function=MPI_Waitall" });
    const log = await visit.picture(visit.pane("histogram"));
    await visit.page.getByLabel("Durations").selectOption("linear");
    await expect.poll(() => visit.field("bins")).toBe("linear");
    const linear = await visit.picture(visit.pane("histogram"));
    expect(linear.equals(log)).toBe(false);
    await visit.page.getByLabel("Colour", { exact: true }).selectOption("time");
    await expect.poll(() => visit.field("shade")).toBe("time");
    await expect.poll(() => visit.get("histogram-key").innerText()).toMatch(/time together/i);
  });
});
