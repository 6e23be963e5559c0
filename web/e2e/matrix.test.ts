/** The communication matrix: an axis of columns that is zoomed, panned and linked like rows. */
import { describe, expect, it } from "vitest";
import { open } from "./harness/visit";

describe("messages", () => {
  it("of a cell or of a rectangle are selected, told in numbers, and drawn in the timeline", async () => {
    const visit = await open("small", { at: "layout=matrix" });
    await visit.drawn();
    const before = await visit.picture(visit.pane("timeline"));
    const [from, to] = [await visit.plotPoint("matrix", 0.1, 0.1), await visit.plotPoint("matrix", 0.9, 0.9)];
    await visit.page.keyboard.down("Alt");
    await visit.drag(from, to);
    await visit.page.keyboard.up("Alt");
    await expect.poll(() => visit.field("select")).toBe("messages:0-3>0-3");
    const facts = visit.get("messages-facts");
    await expect.poll(() => facts.innerText()).toMatch(/Messages\s+[\d,]+/);
    for (const label of ["Bytes", "Bandwidth", "Wait", "Pairs", "Most bytes"])
      expect(await facts.innerText()).toContain(label);
    await expect.poll(async () => (await visit.picture(visit.pane("timeline"))).equals(before)).toBe(false);

    // From there to the pair with most, and closer to its cell.
    await facts
      .getByText(/: rank \d to rank \d/)
      .first()
      .click();
    await expect.poll(() => visit.field("select")).toMatch(/^messages:\d>\d$/);
    // The key leads to what the details are of.
    await expect.poll(() => facts.innerText()).toMatch(/From\s+rank \d/i);
    await visit.page.keyboard.press("f");
    await expect.poll(() => visit.field("columns")).toMatch(/^\d:\d$/);
  });

  it("are shown by bandwidth and wait", async () => {
    const visit = await open("small", { at: "layout=matrix" });
    const key = visit.get("matrix-key");
    for (const [cells, title] of [
      ["bandwidth", /mean bandwidth/i],
      ["wait", /mean wait/i],
    ] as const) {
      await visit.page.getByLabel("Cells").selectOption(cells);
      await expect.poll(() => visit.field("volume")).toBe(cells);
      await expect.poll(() => key.innerText()).toMatch(title);
    }
  });
});

describe("columns", () => {
  it("are zoomed where the pointer is, moved by a drag and by keys, and part of the link", async () => {
    const visit = await open("slow", { at: "layout=matrix" });
    const whole = await visit.picture(visit.pane("matrix"));
    await visit.wheel(await visit.plotPoint("matrix", 0.5, 0.5), -400);
    await visit.changed("columns", null);
    const [from, to] = (await visit.window("columns")) ?? [0, 0];
    expect(to - from).toBeLessThan(256);
    expect(from < 128 && to > 128).toBe(true);
    expect([await visit.field("rows"), await visit.field("time")]).toEqual([null, null]);
    const { x } = await visit.scene("matrix");
    expect([x.from, x.to]).toEqual([String(from), String(to)]);

    const middle = await visit.plotPoint("matrix", 0.5, 0.5);
    await visit.drag(middle, { x: middle.x - 60, y: middle.y });
    await visit.changed("columns", `${from}:${to}`);
    const moved = (await visit.window("columns")) ?? [0, 0];
    expect(moved[0]).toBeGreaterThan(from);
    expect(moved[1] - moved[0]).toBe(to - from);
    await visit.pane("matrix").focus();
    await visit.page.keyboard.press("a");
    await expect.poll(async () => (await visit.window("columns"))?.[0] ?? 0).toBeLessThan(moved[0]);
    const link = await visit.field("columns");
    await visit.page.reload();
    await visit.drawn();
    expect(await visit.field("columns")).toBe(link);

    const point = await visit.plotPoint("matrix", 0.5, 0.5);
    await visit.page.mouse.dblclick(point.x, point.y);
    await expect.poll(() => visit.field("columns")).toBe(null);
    expect((await visit.picture(visit.pane("matrix"))).equals(whole)).toBe(true);
  });

  it("are forgotten with another filter of ranks", async () => {
    const visit = await open("slow", { at: "layout=matrix&columns=10:20&rows=4:9" });
    await visit.drawn();
    const field = visit.page.getByLabel("Only these ranks");
    await field.fill("0-31");
    await field.press("Enter");
    await visit.changed("ranks", null);
    expect([await visit.field("columns"), await visit.field("rows")]).toEqual([null, null]);
  });

  it("count bytes or messages", async () => {
    // With room for numbers in the cells.
    const visit = await open("small", { at: "layout=matrix" });
    const bytes = await visit.picture(visit.pane("matrix"));
    const key = visit.get("matrix-key");
    await expect.poll(() => key.innerText()).toMatch(/bytes sent/i);
    await visit.page.getByLabel("Cells").selectOption("messages");
    await expect.poll(() => visit.field("volume")).toBe("messages");
    expect((await visit.picture(visit.pane("matrix"))).equals(bytes)).toBe(false);
    await expect.poll(() => key.innerText()).toMatch(/messages sent/i);
  });
});
