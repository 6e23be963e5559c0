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

  it("are not offered where there are none", async () => {
    const visit = await open("small");
    await visit.drawn();
    expect(await visit.page.getByRole("button", { name: "Counters", exact: true }).count()).toBe(0);
  });
});

function point({ x, y }: { x: number; y: number }): [number, number] {
  return [x, y];
}
