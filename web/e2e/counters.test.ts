/** Counters over time: lanes on the axis of time that other panes share, chosen on the left. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Heddle } from "./harness/heddle";
import { open, type Visit } from "./harness/visit";

const heddle = new Heddle();
afterAll(() => heddle.end());

/** A thread that works for a millisecond, and two counters of its process. */
async function counted(): Promise<Visit> {
  const at = (ts: number) => ({ pid: 0, tid: 0, ts });
  const traceEvents: object[] = [{ ph: "X", name: "work", dur: 1000, ...at(0) }];
  for (let ts = 0; ts < 1000; ts += 10) {
    traceEvents.push({ ph: "C", name: "power", args: { watts: 100 + (ts % 100) }, ...at(ts) });
    traceEvents.push({ ph: "C", name: "load", args: { percent: ts < 500 ? 10 : 90 }, ...at(ts) });
  }
  const path = join(heddle.folder, "counted.json");
  writeFileSync(path, JSON.stringify({ traceEvents }));
  const server = await heddle.serve(["open", path]);
  const visit = await open(server);
  await visit.drawn();
  await visit.page.goto(`${server.origin}/#v=1&trace=counted&layout=counters`);
  await visit.drawn();
  return visit;
}

describe("counters", () => {
  it("are lanes that follow the time, say what they count, and are chosen on the left", async () => {
    const visit = await counted();
    const both = await visit.picture(visit.pane("counters"));
    const names = visit.get("counter");
    await expect.poll(() => names.count()).toBe(2);
    await visit.page.mouse.move(...point(await visit.plotPoint("counters", 0.75, 0.75)));
    await expect.poll(() => visit.get("tooltip").innerText()).toMatch(/power|load/);

    await names.filter({ hasText: "power" }).click();
    await expect.poll(() => visit.field("metrics")).toContain("power");
    expect((await visit.picture(visit.pane("counters"))).equals(both)).toBe(false);
    await visit.page.getByRole("button", { name: "show all" }).click();
    await expect.poll(() => visit.field("metrics")).toBe(null);

    await visit.wheel(await visit.plotPoint("counters", 0.5, 0.5), -400);
    await visit.changed("time", null);
    expect((await visit.scene("counters")).x.from).toBe((await visit.scene("timeline")).x.from);
  });

  it("are tracks below the rows of the timeline", async () => {
    const visit = await counted();
    await visit.page.goto(`${visit.origin}/#v=1&trace=counted&layout=timeline`);
    await visit.drawn();
    const plain = await visit.picture(visit.pane("timeline"));
    await visit.page.getByLabel("counters", { exact: true }).check();
    await expect.poll(() => visit.field("tracks")).toBe("1");
    expect((await visit.picture(visit.pane("timeline"))).equals(plain)).toBe(false);
    await visit.page.mouse.move(...point(await visit.plotPoint("timeline", 0.75, 0.97)));
    await expect.poll(() => visit.get("tooltip").innerText()).toMatch(/power|load/);
    await visit.get("counter").filter({ hasText: "power" }).click();
    await expect.poll(() => visit.field("metrics")).toContain("power");
  });

  it("have a histogram that says for how long each row had which value", async () => {
    const visit = await counted();
    await visit.page.goto(`${visit.origin}/#v=1&trace=counted&layout=1histogram`);
    await visit.drawn();
    const calls = await visit.picture(visit.pane("histogram"));
    const what = visit.page.getByLabel("Function", { exact: true });
    const power = what.locator("option", { hasText: "counter power" });
    await what.selectOption((await power.getAttribute("value")) ?? "");
    await expect.poll(() => visit.field("counter")).toMatch(/^power/);
    await visit.page.getByLabel("Durations").selectOption("linear");
    await expect.poll(() => visit.field("bins")).toBe("linear");
    expect((await visit.picture(visit.pane("histogram"))).equals(calls)).toBe(false);
    await expect.poll(() => visit.get("histogram-key").innerText()).toMatch(/values/i);
    // The least value is in the first column: ten times for ten microseconds.
    await visit.page.mouse.move(...point(await visit.plotPoint("histogram", 0.002, 0.5)));
    await expect.poll(() => visit.get("tooltip").innerText()).toMatch(/power.*10 values, held for 100\.0 µs/s);
    await visit.page.mouse.click(...point(await visit.plotPoint("histogram", 0.002, 0.5)));
    await expect.poll(() => visit.field("select")).toMatch(/^ranks:/);
    await what.selectOption("work");
    await expect.poll(() => visit.field("counter")).toBe(null);
  });

  it("are not offered where there are none", async () => {
    const visit = await open("small");
    await visit.drawn();
    expect(await visit.page.getByRole("button", { name: "Counters", exact: true }).count()).toBe(0);
  });
});

function point({ x, y }: { x: number; y: number }): [number, number] {
  return [x, y];
}
