/** Diagnosis: from the first sentence to the culprit in the timeline; what it costs, what it leaves, what is no problem. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DiagnosisTold, EfficiencyTold } from "../src/api/types";
import { barriers } from "./harness/axe";
import { Heddle } from "./harness/heddle";
import { unreadable } from "./harness/texts";
import { type OpenOptions, open, type Visit } from "./harness/visit";

const heddle = new Heddle();
let faulty: { url: string };
let clean: { url: string };

/** Rank 37 of 64 computes slowly from half of the run on; and a run in which nobody does. */
beforeAll(async () => {
  const plain = ["--ranks", "64", "--iterations", "60", "--ranks-per-node", "8"];
  const fault = ["--fault", "slow:rank=37,factor=1.8,from=35ms"];
  faulty = await heddle.serve(["open", await heddle.simulate("slow", [...plain, ...fault])]);
  clean = await heddle.serve(["open", await heddle.simulate("clean", plain)]);
});
afterAll(() => heddle.end());

async function visitSlow(at: string, options: OpenOptions = {}): Promise<Visit> {
  const visit = await open({ url: `${faulty.url}&v=1&trace=slow&${at}` }, { at: "", ...options });
  await visit.drawn();
  return visit;
}

/** The page about what is wrong, once that is known. */
async function visitDiagnosis(more = "", options: OpenOptions = {}): Promise<Visit> {
  const visit = await visitSlow(`layout=diagnosis${more}`, options);
  // In a narrow window they lie in a drawer.
  await visit.get("card").first().waitFor({ state: "attached" });
  await visit.drawn();
  return visit;
}

const told = (visit: Visit) => visit.api<DiagnosisTold>("traces/slow/diagnosis");
const card = (visit: Visit, number: number) =>
  visit.page.locator(`[data-testid="card"][data-finding="${number}"] .about`);
const factor = (visit: Visit, name: string, column: string) =>
  visit.get("efficiency").locator(`[data-factor="${name}"] td.${column}`);

describe("a run with a slow rank", () => {
  it("is summed up in a first sentence, and a click on it shows the culprit in the timeline", async () => {
    const visit = await visitSlow("layout=overview");
    const sentence = visit.get("first-sentence");
    await sentence.waitFor();
    expect(await sentence.innerText()).toMatch(/^Rank 37 /);
    await sentence.click();
    expect(await visit.changed("layout", "overview")).toBe("diagnosis");
    await visit.drawn();
    const [first] = (await told(visit)).findings;
    // The selection, the time and the rows are those of the culprit.
    expect(await visit.field("select")).toBe("ranks:37");
    expect([await visit.field("rows"), await visit.field("ranks")]).toEqual([null, null]);
    const [from, to] = (await visit.window("time")) ?? [0, Number.POSITIVE_INFINITY];
    expect(from).toBeLessThanOrEqual(Number(first?.since_ns));
    expect(to).toBeGreaterThanOrEqual(Number(first?.until_ns));
    const [near, far] = (await visit.field("closer"))?.split(":").map(Number) ?? [];
    expect(near).toBeGreaterThanOrEqual(from);
    expect((far ?? 0) - (near ?? 0)).toBeLessThan((Number(first?.until_ns) - Number(first?.since_ns)) / 2);
    expect(await card(visit, 1).getAttribute("aria-pressed")).toBe("true");
    // The picture names it where it is.
    const { labels } = await visit.scene("timeline");
    expect(labels.map(({ text }) => text).join("\n")).toContain("rank 37 computes");
    // Back leads to where one was.
    await visit.page.keyboard.press("Control+z");
    await expect.poll(() => visit.field("layout")).toBe("overview");
  });

  it("has a card with who, since when, what it costs and what is left without it", async () => {
    const visit = await visitDiagnosis();
    const { findings, split, lost } = await told(visit);
    expect(await visit.get("card").count()).toBe(findings.length);
    const text = await visit.get("card").first().innerText();
    expect(text).toContain(findings[0]?.cost_text);
    expect(text).toMatch(/rank 37/i);
    expect(text).toMatch(/Without it/);
    expect(text).toMatch(/Look at/);
    // What is shown of it adds up.
    const read = (part: string) => Number.parseFloat(part);
    const sum = split.reduce((all, part) => all + read(part.text), 0);
    expect(sum).toBeCloseTo(100, 6);
    expect(await visit.get("split").innerText()).toContain(lost.text.split(" ")[0]);
    const costs = await visit.get("function-costs").locator("li:not(.sum) > .fn:not(.sub) .c").allInnerTexts();
    const all = costs.reduce((total, cost) => total + read(cost), 0);
    expect(all).toBeCloseTo(read(await visit.get("all-waiting").innerText()), 6);
    await expect.poll(() => visit.get("status").innerText()).toMatch(/[\d,]+ waits, .*replay of the unchanged run/s);
  });

  it("shows how well time is used before and since, and for what one brushes", async () => {
    const visit = await visitDiagnosis();
    const run = await visit.api<EfficiencyTold>("traces/slow/efficiency");
    const column = (name: string) => run.columns.find((one) => one.name === name);
    expect(await factor(visit, "parallel", "run").innerText()).toBe(column("run")?.parallel.toFixed(2));
    expect(Number(await factor(visit, "load_balance", "until").innerText())).toBeGreaterThan(
      Number(await factor(visit, "load_balance", "since").innerText()),
    );
    // Brush the last quarter of the run.
    const strip = await visit.box(visit.page.locator(".strip .brush"));
    const y = strip.y + strip.height / 2;
    await visit.drag({ x: strip.x + strip.width * 0.7, y }, { x: strip.x + strip.width * 0.95, y });
    const time = await visit.changed("time", null);
    await expect.poll(() => factor(visit, "parallel", "window").count()).toBe(1);
    const part = await visit.api<EfficiencyTold>(`traces/slow/efficiency?time=${time}`);
    const window = part.columns.find(({ name }) => name === "window");
    await expect.poll(() => factor(visit, "parallel", "window").innerText()).toBe(window?.parallel.toFixed(2));
    expect(window?.parallel).not.toBe(column("run")?.parallel);
    const lost = Math.round((1 - (window?.parallel ?? 0)) * 1000) / 10;
    expect(await visit.get("lost").innerText()).toContain(`${lost.toFixed(1)} %`);
  });

  it("is reached by keys: a finding by its number, the path by P", async () => {
    const visit = await visitDiagnosis("&ranks=0-15&rows=0:4");
    await visit.page.locator("body").press("1");
    expect(await visit.changed("select", null)).toBe("ranks:37");
    // What hid the culprit is gone.
    expect([await visit.field("rows"), await visit.field("ranks")]).toEqual([null, null]);
    const before = await visit.picture(visit.pane("waits"));
    await visit.page.locator("body").press("p");
    expect(await visit.changed("path", null)).toBe("off");
    expect((await visit.picture(visit.pane("waits"))).equals(before)).toBe(false);
    await visit.page.locator("body").press("p");
    await expect.poll(() => visit.field("path")).toBeNull();
  });

  it("shows the path of a finding, its ranks alone, and a close-up that moves by itself", async () => {
    const visit = await visitDiagnosis();
    await visit.get("card").first().getByRole("button", { name: "Show the path" }).click();
    expect(await visit.changed("colour", null)).toBe("path");
    await visit.get("card").first().getByRole("button", { name: "Show the waits" }).click();
    await expect.poll(() => visit.field("colour")).toBeNull();
    await visit.get("card").first().getByRole("button", { name: "Ranks", exact: true }).click();
    expect(await visit.changed("ranks", null)).toBe("37");
    await visit.get("card").first().getByRole("button", { name: "All ranks" }).click();
    await expect.poll(() => visit.field("ranks")).toBeNull();
    const time = await visit.field("time");
    const closer = await visit.field("closer");
    await visit.drawn();
    const box = await visit.box(visit.pane("closeup"));
    await visit.wheel({ x: box.x + box.width / 2, y: box.y + box.height / 2 }, -200);
    await visit.changed("closer", closer);
    expect(await visit.field("time")).toBe(time);
  });

  it("says how far it is, can be stopped, and begun again", async () => {
    const visit = await open({ url: faulty.url }, { at: "" });
    await visit.drawn();
    const building = { state: "building", stage: "waits", done: 0.4 };
    await visit.page.route("**/analysis/diagnosis*", (route) => route.fulfill({ json: building }));
    await visit.page.route("**/analysis/diagnosis/cancel*", (route) => route.fulfill({ json: {} }));
    await visit.page.goto(`${visit.origin}/#v=1&trace=slow&layout=diagnosis`);
    await visit.page.reload();
    await expect.poll(() => visit.get("diagnosis-coming").innerText()).toContain("40 %");
    expect(await visit.page.getByRole("progressbar").count()).toBe(1);
    await visit.get("what-is-wrong").getByRole("button", { name: "Stop" }).click();
    await expect.poll(() => visit.get("what-is-wrong").innerText()).toContain("stopped");
    await visit.page.unroute("**/analysis/diagnosis*");
    await visit.get("what-is-wrong").getByRole("button", { name: "Compute it" }).click();
    await visit.get("card").first().waitFor();
  });
});

describe("the case study of the culprits", () => {
  it("names the dearest first, and a click on it shows all three where they are", async () => {
    await heddle.prepare("culprit");
    const visit = await open(await heddle.serve(["demo", "culprit"]), { at: "layout=overview" });
    await visit.drawn();
    const sentence = visit.get("first-sentence");
    await sentence.waitFor();
    expect(await sentence.innerText()).toMatch(/^Node 12 computes slowly/);
    await sentence.click();
    expect(await visit.changed("layout", "overview")).toBe("diagnosis");
    await visit.drawn();
    expect(await visit.field("select")).toBe("ranks:96-103");
    expect(await visit.get("card").count()).toBe(3);
    const { labels } = await visit.scene("timeline");
    const named = labels.map(({ text }) => text).join("\n");
    for (const who of [/node 12 computes/, /node 27/, /rank \d+ stalls/]) {
      expect(named).toMatch(who);
    }
  });
});

describe("a run in which nobody is slow", () => {
  it("is called balanced, with what was examined, and nobody is blamed", async () => {
    const visit = await open({ url: `${clean.url}&v=1&trace=clean&layout=diagnosis` }, { at: "" });
    await visit.drawn();
    await expect.poll(() => visit.get("headline").innerText()).toMatch(/^Balanced/);
    expect(await visit.get("card").count()).toBe(0);
    expect(await visit.get("not-a-problem").innerText()).toMatch(/clocks agree/);
    expect(await visit.get("cost-part").count()).toBe(0);
  });
});

describe("everybody can read and use it", () => {
  for (const width of [700, 1000, 1600]) {
    it(`in a window of ${width} pixels`, async () => {
      const visit = await visitDiagnosis("&select=ranks:37", { width, texts: true });
      expect(await unreadable(visit)).toEqual([]);
      if (width < 760) {
        await visit.get("open-details").click();
        await expect.poll(() => card(visit, 1).isVisible()).toBe(true);
        expect(await unreadable(visit)).toEqual([]);
      }
      expect(await barriers(visit)).toEqual([]);
    });
  }

  it("in the dark", async () => {
    const visit = await visitDiagnosis("&select=ranks:37", { theme: "dark", texts: true });
    expect(await unreadable(visit)).toEqual([]);
    expect(await barriers(visit)).toEqual([]);
  });

  it("without a mouse", async () => {
    const visit = await visitDiagnosis();
    await card(visit, 1).focus();
    await visit.page.keyboard.press("Enter");
    expect(await visit.changed("select", null)).toBe("ranks:37");
    await visit.page.keyboard.press("Tab");
    expect(await visit.page.evaluate(() => document.activeElement?.textContent)).toBe("Show");
  });
});
