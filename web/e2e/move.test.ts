/** Moving through time and rows: strip, wheel, drag, keys. */
import { beforeAll, describe, expect, it } from "vitest";
import type { TraceInfo } from "../src/api/types";
import { open, type Visit } from "./harness/visit";

let end = 0;

beforeAll(async () => {
  const visit = await open("slow");
  await visit.drawn();
  end = Number((await visit.api<TraceInfo>("traces/slow")).end_ns);
});

async function timeAfter(visit: Visit, before: string | null): Promise<[number, number]> {
  await visit.changed("time", before);
  return (await visit.window("time")) ?? [0, end];
}

/** Nanoseconds that are one pixel of a pane. */
async function pixel(visit: Visit, view: string): Promise<number> {
  const { plot, x } = await visit.scene(view);
  return (Number(x.to) - Number(x.from)) / plot[2];
}

describe("the strip", () => {
  it("chooses the window of all panes by a drag, and undo gives it back", async () => {
    const visit = await open("slow");
    const before = await visit.picture(visit.pane("activity"));
    const whole = await visit.subtitle("timeline").innerText();
    const strip = await visit.box(visit.page.locator(".brush"));
    const y = strip.y + strip.height / 2;
    await visit.drag({ x: strip.x + strip.width * 0.4, y }, { x: strip.x + strip.width * 0.6, y });
    const [from, to] = await timeAfter(visit, null);
    expect(Math.abs(from - end * 0.4)).toBeLessThan((2 * end) / strip.width);
    expect(Math.abs(to - end * 0.6)).toBeLessThan((2 * end) / strip.width);
    for (const view of ["activity", "timeline"]) {
      const { x } = await visit.scene(view);
      expect([x.from, x.to]).toEqual([String(from), String(to)]);
      expect(await visit.subtitle(view).innerText()).toMatch(/^\d+\.\d+–\d+\.\d+ ms/);
    }
    expect(await visit.subtitle("timeline").innerText()).not.toBe(whole);
    expect((await visit.picture(visit.pane("activity"))).equals(before)).toBe(false);

    await visit.get("undo").click();
    await visit.changed("time", `${from}:${to}`);
    expect(await visit.window("time")).toBe(null);
    expect(await visit.subtitle("timeline").innerText()).toBe(whole);
    expect((await visit.picture(visit.pane("activity"))).equals(before)).toBe(true);
    await visit.get("redo").click();
    await expect.poll(() => visit.field("time")).toBe(`${from}:${to}`);
  });

  it("moves the window by its middle and changes it by its edges", async () => {
    const visit = await open("slow", { at: `time=${Math.round(end * 0.4)}:${Math.round(end * 0.6)}` });
    await visit.drawn();
    const middle = await visit.box(visit.get("brush"));
    const y = middle.y + middle.height / 2;
    const start = await visit.field("time");
    await visit.drag({ x: middle.x + middle.width / 2, y }, { x: middle.x + middle.width / 2 + 120, y });
    const moved = await timeAfter(visit, start);
    expect(moved[1] - moved[0]).toBe(Math.round(end * 0.6) - Math.round(end * 0.4));
    const brush = await visit.box(visit.get("brush"));
    expect(brush.x - middle.x).toBeCloseTo(120, 0);
    await visit.drag({ x: brush.x + brush.width - 1, y }, { x: brush.x + brush.width - 101, y });
    const [from, to] = await timeAfter(visit, moved.join(":"));
    expect(from).toBe(moved[0]);
    expect(to).toBeLessThan(moved[1]);
    expect((await visit.box(visit.get("brush"))).width - brush.width).toBeCloseTo(-100, 0);
  });

  it("has handles for the keyboard that say where they are", async () => {
    const visit = await open("slow");
    await visit.drawn();
    const handle = visit.page.getByRole("slider", { name: "Window ends" });
    await handle.focus();
    const said = await handle.getAttribute("aria-valuetext");
    await visit.page.keyboard.press("Shift+ArrowLeft");
    const [from, to] = await timeAfter(visit, null);
    expect([from, to]).toEqual([0, Math.round(end * 0.95)]);
    expect(await handle.getAttribute("aria-valuetext")).not.toBe(said);
    await visit.page.getByRole("slider", { name: "Time window" }).focus();
    await visit.page.keyboard.press("ArrowRight");
    const [next] = await timeAfter(visit, `${from}:${to}`);
    expect(next).toBeGreaterThan(0);
  });
});

describe("a pane", () => {
  it("zooms at the pointer: what is under it stays there", async () => {
    const visit = await open("slow");
    const point = await visit.plotPoint("timeline", 0.3, 0.5);
    await visit.wheel(point, -300);
    const [from, to] = await timeAfter(visit, null);
    expect(to - from).toBeLessThan(end * 0.8);
    const under = await visit.pointAt("timeline", end * 0.3);
    expect(Math.abs(under.x - point.x)).toBeLessThan(1);
    expect((await visit.scene("activity")).x.from).toBe(String(from));
  });

  it("moves with a drag, by as much as the hand does", async () => {
    const visit = await open("slow", { at: `time=${Math.round(end * 0.4)}:${Math.round(end * 0.6)}` });
    const step = await pixel(visit, "timeline");
    const before = await visit.window("time");
    const point = await visit.plotPoint("timeline", 0.5, 0.5);
    await visit.drag(point, { x: point.x + 100, y: point.y });
    const [from, to] = await timeAfter(visit, before?.join(":") ?? null);
    expect(Math.abs((before?.[0] ?? 0) - from - 100 * step)).toBeLessThan(step);
    expect(to - from).toBe((before?.[1] ?? 0) - (before?.[0] ?? 0));
    expect(await visit.field("select")).toBe(null);
  });

  it("zooms to a range with Shift, and a double-click shows everything again", async () => {
    const visit = await open("slow", { at: "rows=10:40" });
    const [left, right] = [await visit.plotPoint("timeline", 0.25, 0.5), await visit.plotPoint("timeline", 0.5, 0.5)];
    const step = await pixel(visit, "timeline");
    await visit.page.keyboard.down("Shift");
    await visit.drag(left, right);
    await visit.page.keyboard.up("Shift");
    const [from, to] = await timeAfter(visit, null);
    expect(Math.abs(from - end * 0.25)).toBeLessThan(2 * step);
    expect(Math.abs(to - end * 0.5)).toBeLessThan(2 * step);
    await visit.drawn();
    await visit.page.mouse.dblclick(left.x, left.y);
    await visit.changed("time", `${from}:${to}`);
    expect((await visit.place()).toString()).toBe("v=1&trace=slow&layout=overview");
    expect(await visit.subtitle("timeline").innerText()).toContain("ranks 0–255");
  });

  it("obeys W, S, A, D and 0", async () => {
    const visit = await open("slow", { at: "rows=10:40" });
    await visit.drawn();
    const press = async (key: string): Promise<[number, number]> => {
      const before = await visit.field("time");
      await visit.page.keyboard.press(key);
      return timeAfter(visit, before);
    };
    const nearer = await press("w");
    expect(nearer[1] - nearer[0]).toBeCloseTo(end / 1.25, -2);
    const right = await press("d");
    expect(right[0] - nearer[0]).toBeCloseTo(end / 12.5, -2);
    const left = await press("a");
    expect(left).toEqual(nearer);
    const nearest = await press("w");
    const out = await press("s");
    expect(out[1] - out[0]).toBeGreaterThan(nearest[1] - nearest[0]);
    expect(await press("0")).toEqual([0, end]);
    expect(await visit.field("rows")).toBe(null);
    await visit.page.keyboard.press("Control+z");
    await expect.poll(() => visit.window("time")).toEqual(out);
  });

  it("zooms rows with Alt and the wheel, where the pointer is", async () => {
    const visit = await open("slow");
    const point = await visit.plotPoint("timeline", 0.5, 0.25);
    await visit.wheel(point, -300, "Alt");
    await visit.changed("rows", null);
    const [from, to] = (await visit.window("rows")) ?? [0, 0];
    expect(to - from).toBeLessThan(200);
    expect(from).toBeLessThanOrEqual(64);
    expect(to).toBeGreaterThan(64);
    const { y } = await visit.scene("timeline");
    expect([y.from, y.to]).toEqual([String(from), String(to)]);
    expect(await visit.subtitle("timeline").innerText()).toContain(`ranks ${from}–${to - 1}`);
    expect(await visit.window("time")).toBe(null);
    await visit.page.getByRole("button", { name: "all rows" }).click();
    await expect.poll(() => visit.field("rows")).toBe(null);
  });
});

describe("16,384 ranks", () => {
  it("open, are drawn, and can be zoomed into down to single ones", async () => {
    const visit = await open("large");
    await visit.drawn();
    expect(await visit.page.locator("h1").innerText()).toContain("16,384 ranks");
    expect(await visit.subtitle("timeline").innerText()).toContain("ranks 0–16,383");
    expect((await visit.pixels(visit.pane("timeline"))).colours().size).toBeGreaterThan(10);
    await visit.wheel(await visit.plotPoint("timeline", 0.5, 0.5), -600, "Alt");
    await visit.changed("rows", null);
    const fewer = await visit.field("rows");
    await visit.page.getByRole("button", { name: "Fewer rows" }).click();
    const rows = (await visit.changed("rows", fewer))?.split(":").map(Number) ?? [];
    expect((rows[1] ?? 0) - (rows[0] ?? 0)).toBeLessThan(8192);
  });

  it("are picked by name", async () => {
    const visit = await open("large", { at: "rows=9000:9016" });
    const { regions, end_ns } = await visit.api<TraceInfo>("traces/large");
    const compute = regions.find((one) => one.name === "compute");
    expect(compute).toBeDefined();
    const point = await visit.pointAt("timeline", Number(end_ns) / 5, 9007);
    await visit.page.mouse.click(point.x, point.y);
    await expect.poll(() => visit.fact("On").innerText()).toContain("rank 9,007");
    expect(await visit.field("select")).toMatch(/^span:\d+:\d+$/);
    expect(await visit.get("tooltip").innerText()).toContain("9,007");
  });
});
