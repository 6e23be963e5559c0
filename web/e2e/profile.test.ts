/** Profile and histogram: tables and cells that say what is under the pointer, and select it. */
import { describe, expect, it } from "vitest";
import { open, type Point, type Visit } from "./harness/visit";

/** The words in the lines of the profile, line by line, from the upper one on. */
async function lines(visit: Visit): Promise<string[][]> {
  const { labels, plot } = await visit.scene("profile");
  const byLine = new Map<number, string[]>();
  for (const { at, text } of labels) {
    const line = Math.floor((at[1] - plot[1] - 24) / 22);
    if (line >= 0) byLine.set(line, [...(byLine.get(line) ?? []), text]);
  }
  return [...byLine].sort(([a], [b]) => a - b).map(([, texts]) => texts);
}

/** What stands first in each line that is no knob. */
async function names(visit: Visit): Promise<string[]> {
  return (await lines(visit)).map((texts) => texts.filter((text) => !/^[▸▾]$/.test(text))[0] ?? "");
}

/** Where a word of the profile stands, in pixels of the window. */
async function wordAt(visit: Visit, isIt: (text: string) => boolean): Promise<Point> {
  const { labels } = await visit.scene("profile");
  const label = labels.find(({ text }) => isIt(text));
  if (label === undefined) throw new Error(`no such word among ${labels.map(({ text }) => text).join(", ")}`);
  const box = await visit.box(visit.pane("profile"));
  return { x: box.x + label.at[0], y: box.y + label.at[1] - 3 };
}

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
    await visit.page.getByRole("button", { name: "Call tree" }).click();
    await expect.poll(() => visit.field("tree")).toBe("1");
    expect((await visit.picture(visit.pane("profile"))).equals(byName)).toBe(false);
  });

  it("is sorted by a click on a head, and the other way round by another one", async () => {
    const visit = await open("slow", { at: "layout=1profile" });
    const head = await wordAt(visit, (text) => text === "calls");
    const counts = async () => (await lines(visit)).map((texts) => Number((texts[4] ?? "").replaceAll(",", "")));
    await visit.page.mouse.click(head.x - 6, head.y);
    await expect.poll(() => visit.field("sort")).toBe("calls");
    const down = await counts();
    expect(down.length).toBeGreaterThan(3);
    expect(down).toEqual(down.toSorted((a, b) => b - a));
    await visit.page.mouse.click(head.x - 6, head.y);
    await expect.poll(() => visit.field("reverse")).toBe("1");
    expect(await counts()).toEqual(down.toSorted((a, b) => a - b));
  });

  it("leaves what is searched for, in the tree with the way to it", async () => {
    const visit = await open("slow", { at: "layout=1profile" });
    await visit.page.getByLabel("Search rows").fill("waitALL");
    await expect.poll(() => visit.field("layout")).toContain("search=waitALL");
    expect(await names(visit)).toEqual(["MPI_Waitall"]);
    await visit.page.getByRole("button", { name: "Call tree" }).click();
    await expect.poll(() => visit.field("tree")).toBe("1");
    const found = await names(visit);
    expect(found.length).toBeGreaterThan(1);
    expect(found.at(-1)).toBe("MPI_Waitall");
    await visit.page.getByLabel("Search rows").fill("nobody is called so");
    await expect.poll(() => visit.page.getByText("No name has that in it.").count()).toBe(1);
  });

  it("closes and opens call paths by a click and by keys, which also go from row to row", async () => {
    const visit = await open("slow", { at: "layout=1profile&tree=1" });
    const all = await names(visit);
    const knob = await wordAt(visit, (text) => text === "▾");
    await visit.page.mouse.click(knob.x + 3, knob.y);
    await visit.changed("branches", null);
    const closed = await names(visit);
    expect(closed.length).toBeLessThan(all.length);
    expect(await visit.field("select"), "it is closed, not selected").toBeNull();
    await visit.pane("profile").focus();
    const row = await visit.field("row");
    await visit.page.keyboard.press("ArrowRight");
    await expect.poll(() => names(visit)).toEqual(all);
    await visit.page.keyboard.press("ArrowRight");
    await visit.changed("row", row);
    await expect.poll(() => visit.field("select")).toBe(`function:${all[1]}`);
    await visit.page.keyboard.press("ArrowLeft");
    await visit.page.keyboard.press("End");
    await expect.poll(() => visit.field("select")).toBe(`function:${all.at(-1)}`);
    expect(await visit.pane("profile").locator(".pane-voice").innerText()).toContain(`${all.at(-1)}`);
  });

  it("lists ranks, scrolls through them, and names those that have most and least", async () => {
    const visit = await open("slow", { at: "layout=1profile" });
    const most = (await lines(visit))[0]?.find((text) => /, \d+$/.test(text)) ?? "";
    const cell = await wordAt(visit, (text) => text === most);
    await visit.page.mouse.click(cell.x - 4, cell.y);
    await expect.poll(() => visit.field("select")).toBe(`ranks:${most.split(", ").at(-1)}`);
    await visit.page.getByRole("button", { name: "Ranks", exact: true }).click();
    await expect.poll(() => visit.field("layout")).toContain("by-rank=1");
    await visit.page.getByLabel("Sort by").selectOption("name");
    await expect.poll(async () => (await names(visit))[0]).toBe("rank 0");
    await visit.wheel(await visit.plotPoint("profile", 0.5, 0.5), 22 * 10);
    await expect.poll(async () => (await names(visit))[0]).toBe("rank 10");
    await visit.pane("profile").focus();
    await visit.page.keyboard.press("End");
    await expect.poll(async () => (await names(visit)).at(-1)).toBe("rank 255");
    await expect.poll(() => visit.field("select")).toBe("ranks:255");
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

describe("a figure for a paper", () => {
  it("has the width and the text that are asked for, is looked at first, and says its command", async () => {
    const visit = await open("slow", { at: "layout=1timeline&time=1000000:9000000&ranks=0-15" });
    await visit.drawn();
    await visit.get("figure").click();
    await visit.page.getByText("For a paper …").click();
    const dialog = visit.get("figure-dialog");
    const size = () => dialog.locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth);
    // 88 mm at 96 pixels per inch.
    await expect.poll(size).toBe(333);
    await dialog.getByLabel("Width").fill("44mm");
    await dialog.getByLabel("Text, points").fill("5");
    await expect.poll(size).toBe(166);
    expect(await visit.get("figure-command").innerText()).toBe(
      "heddle render timeline TRACE -o timeline.pdf --width 44mm --font-size 5 --no-title --no-notes " +
        "--time 1000000ns:9000000ns --ranks 0-15",
    );
    await dialog.getByRole("button", { name: "Copy" }).click();
    const copied = () => visit.page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toContain("--width 44mm");
    visit.expectFault(/400/);
    await dialog.getByLabel("Text, points").fill("99");
    await expect.poll(() => dialog.getByRole("alert").innerText()).toContain("4 to 24");
    await dialog.getByLabel("Text, points").fill("8");
    await dialog.getByLabel("Width").fill("88mm");
    await expect.poll(size).toBe(333);
    const saved = visit.page.waitForEvent("download");
    await visit.get("figure-save").click();
    expect((await saved).suggestedFilename()).toBe("slow-timeline.pdf");
  });
});

describe("the histogram", () => {
  it("counts the calls of the function that is chosen, and a click selects the longest of a cell", async () => {
    const visit = await open("slow", { at: "layout=1histogram" });
    const usual = await visit.picture(visit.pane("histogram"));
    // Whose calls these are is said where nobody has chosen, too.
    expect(await visit.subtitle("histogram").textContent()).toBe("calls of compute by rank and duration");
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
