/** The hands of the page: a cursor in all panes, a ruler, a window typed exactly, panes with a window of their own, areas. */
import { describe, expect, it } from "vitest";
import type { Brushed } from "../src/api/types";
import { open, type Visit } from "./harness/visit";

/** Four ranks, a few iterations in sight. */
const FEW = "layout=overview&time=2000000:6000000";

/** How far the only line of a kind in a pane is from its left edge; null if it is not to be seen. */
async function lineAt(visit: Visit, view: string, what = ".time-cursor"): Promise<number | null> {
  const line = visit.pane(view).locator(what);
  if (!(await line.isVisible())) return null;
  return (await visit.box(line)).x;
}

async function frames(visit: Visit): Promise<void> {
  await visit.page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))),
  );
}

describe("the cursor", () => {
  it("is at the same moment in all panes, and on the strip with its time", async () => {
    const visit = await open("small", { at: FEW });
    const at = await visit.pointAt("timeline", 3_000_000);
    const there = await visit.pointAt("activity", 3_000_000);
    let asked = 0;
    visit.page.on("request", (request) => {
      if (/\/scene\//.test(request.url())) asked += 1;
    });
    await visit.page.mouse.move(at.x, at.y);
    await frames(visit);
    expect(Math.abs(((await lineAt(visit, "timeline")) ?? 0) - at.x)).toBeLessThanOrEqual(1);
    expect(Math.abs(((await lineAt(visit, "activity")) ?? 0) - there.x)).toBeLessThanOrEqual(1);
    const strip = visit.get("cursor-time");
    expect(await strip.getAttribute("data-says")).toMatch(/^(?:2\.99|3\.00)\d* ms$/);
    expect(asked).toBe(0);
    await visit.page.mouse.move(2, 500);
    await frames(visit);
    expect(await lineAt(visit, "timeline")).toBeNull();
    expect(await lineAt(visit, "activity")).toBeNull();
  });

  it("comes from the strip too, and leaves panes out that do not show its moment", async () => {
    const visit = await open("small", { at: FEW });
    await visit.drawn();
    const strip = await visit.box(visit.get("strip-scene"));
    await visit.page.mouse.move(strip.x + strip.width - 60, strip.y + 20);
    await frames(visit);
    expect(await visit.get("cursor-time").isVisible()).toBe(true);
    expect(await lineAt(visit, "timeline")).toBeNull();
  });
});

describe("the ruler", () => {
  it("snaps to where calls begin and end, stands in all panes, and goes with Escape", async () => {
    const visit = await open("small", { at: FEW });
    await visit.drawn();
    // A call of the first rank, exactly.
    const info = await visit.api<{ regions: { id: number; name: string }[] }>("traces/small");
    const region = info.regions.find(({ name }) => name === "compute")?.id;
    const call = await visit.api<{ start_ns: string; end_ns: string }>(
      `traces/small/find?region=${region}&after=2500000&direction=next&ranks=0`,
    );
    const [start, end] = [Number(call.start_ns), Number(call.end_ns)];
    const from = await visit.pointAt("timeline", start, 0);
    const to = await visit.pointAt("timeline", end, 0);
    await visit.page.keyboard.press("r");
    await visit.drag({ x: from.x + 4, y: from.y }, { x: to.x - 4, y: to.y });
    const label = visit.pane("timeline").getByTestId("ruler");
    const length = end - start;
    const words = length >= 1e6 ? `${(length / 1e6).toFixed(3)} ms` : `${(length / 1e3).toFixed(1)} µs`;
    await expect.poll(() => label.textContent()).toContain(`${words},`);
    await expect.poll(() => visit.pane("timeline").locator(".ruler-stretch.edge-left.edge-right").count()).toBe(1);
    expect(await visit.pane("activity").getByTestId("ruler").textContent()).toBe(await label.textContent());
    expect(await visit.window("time")).toEqual([2_000_000, 6_000_000]);
    // It stands while one looks elsewhere; the tool was for one drag.
    await visit.page.keyboard.press("w");
    await visit.drawn();
    expect(await label.isVisible()).toBe(true);
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => label.isVisible()).toBe(false);
  });

  it("needs no key with Ctrl, and is no selection", async () => {
    const visit = await open("small", { at: FEW });
    const [from, to] = [await visit.plotPoint("activity", 0.2, 0.5), await visit.plotPoint("activity", 0.7, 0.5)];
    await visit.page.keyboard.down("Control");
    await visit.drag(from, to);
    await visit.page.keyboard.up("Control");
    expect(await visit.pane("timeline").getByTestId("ruler").textContent()).toMatch(/^2\.0\d* ms/);
    expect(await visit.field("select")).toBeNull();
    expect(await visit.window("time")).toEqual([2_000_000, 6_000_000]);
  });
});

describe("a window typed exactly", () => {
  it("is taken as people write it, and mistakes are said at the field", async () => {
    const visit = await open("small");
    await visit.drawn();
    await visit.page.keyboard.press("g");
    const field = visit.get("type-window").locator("input");
    await field.fill("3 parsecs 4ms");
    await field.press("Enter");
    expect(await visit.get("type-window").getByRole("alert").textContent()).toContain("“3 parsecs” is not a time");
    await field.fill("2.5 .. 3 ms");
    await field.press("Enter");
    await expect.poll(() => visit.window("time")).toEqual([2_500_000, 3_000_000]);
    expect(await visit.get("type-window").count()).toBe(0);
    await visit.subtitle("timeline").getByRole("button").click();
    await visit.get("type-window").locator("input").fill("1ms +300us");
    await visit.page.keyboard.press("Enter");
    await expect.poll(() => visit.window("time")).toEqual([1_000_000, 1_300_000]);
  });
});

describe("a pane with a window of its own", () => {
  it("stays where it is while the others move, in a link too, until it is linked again", async () => {
    const visit = await open("small", { at: FEW });
    await visit.drawn();
    const pane = visit.page.locator("section.pane", { has: visit.pane("timeline") });
    await pane.getByTestId("unlink").click();
    const before = await visit.subtitle("timeline").textContent();
    const at = await visit.plotPoint("activity", 0.5, 0.5);
    await visit.wheel(at, -300);
    await expect.poll(() => visit.window("time")).not.toEqual([2_000_000, 6_000_000]);
    await visit.drawn();
    expect(await visit.subtitle("timeline").textContent()).toBe(before);
    expect((await visit.scene("timeline")).x).toMatchObject({ from: "2000000", to: "6000000" });
    expect(await visit.field("layout")).toContain("timeline(time=2000000:6000000)");

    // Its own window moves by wheel, by keys and by words, and the others stay.
    const shared = await visit.window("time");
    await visit.wheel(await visit.plotPoint("timeline", 0.5, 0.5), -300);
    await expect.poll(() => visit.field("layout")).not.toContain("time=2000000:6000000");
    expect(await visit.window("time")).toEqual(shared);
    await visit.subtitle("timeline").getByRole("button").first().click();
    await visit.get("type-window").locator("input").fill("1 .. 2 ms");
    await visit.page.keyboard.press("Enter");
    await expect.poll(() => visit.field("layout")).toContain("timeline(time=1000000:2000000)");
    expect(await visit.window("time")).toEqual(shared);

    const again = await visit.another(visit.page.url());
    await again.drawn();
    expect((await again.scene("timeline")).x).toMatchObject({ from: "1000000", to: "2000000" });

    await pane.getByTestId("unlink").click();
    await visit.drawn();
    expect(await visit.field("layout")).toBeNull();
    const { x } = await visit.scene("timeline");
    expect([Number(x.from), Number(x.to)]).toEqual(shared);
  });

  it("says its window in its head, whatever else stands there", async () => {
    const visit = await open("small", { at: "layout=1calls(time=2000000:3000000)" });
    await visit.drawn();
    const head = visit.page.locator("section.pane", { has: visit.pane("calls") }).locator(".head");
    expect(await head.locator(".window-words").textContent()).toBe("2.00–3.00 ms");
    expect(await visit.get("calls-count").isVisible()).toBe(true);
  });

  it("can be one of two of the same view, by key", async () => {
    const visit = await open("small", { at: "layout=timeline&time=2000000:6000000" });
    await visit.drawn();
    await visit.page.getByTestId("split-right").click();
    await visit.drawn();
    await visit.pane("timeline").nth(1).focus();
    await visit.page.keyboard.press("l");
    await visit.page.keyboard.press("0");
    await expect.poll(() => visit.field("layout")).toMatch(/^1r\(500timeline,500timeline\(time=0:\d+\)\)$/);
    expect(await visit.window("time")).toEqual([2_000_000, 6_000_000]);
  });
});

describe("an area of the timeline", () => {
  it("is read as a table with the numbers of the server", async () => {
    const visit = await open("small", { at: FEW });
    const [from, to] = [await visit.pointAt("timeline", 3_000_000, 1), await visit.pointAt("timeline", 5_000_000, 2)];
    await visit.page.keyboard.down("Alt");
    await visit.drag(from, to);
    await visit.page.keyboard.up("Alt");
    await expect.poll(() => visit.field("select")).toMatch(/^area:\d+:\d+:1-2$/);
    const select = (await visit.field("select")) ?? "";
    const told = await visit.api<Brushed>(`traces/small/brush?select=${select}`);
    await expect.poll(() => visit.get("brushed-calls").textContent()).toBe(Number(told.calls).toLocaleString("en-US"));
    expect(told.ranks).toBe(2);
    const [, begin, end] = select.split(":").map(Number);
    expect(Math.abs((begin ?? 0) - 3_000_000)).toBeLessThan(10_000);
    expect(Number(told.total_ns)).toBeLessThanOrEqual(2 * ((end ?? 0) - (begin ?? 0)));
    const rows = await visit.get("brushed-functions").locator("tbody tr").count();
    expect(rows).toBe(told.by_function.length + 1);
    expect(await visit.get("brushed-messages").textContent()).toContain("sent here");
    // From a slow call of it, Escape leads back.
    await visit.get("slow-call").first().click();
    await expect.poll(() => visit.field("select")).toMatch(/^span:/);
    expect(await visit.get("brushed").isVisible()).toBe(true);
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.field("select")).toBe(select);
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.field("select")).toBeNull();
  });
});
