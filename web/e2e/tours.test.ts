/** Every tour of every case study, followed to its end; and what one can do with the card on the way. */
import { afterAll, describe, expect, it } from "vitest";
import { barriers } from "./harness/axe";
import { type Case, Heddle } from "./harness/heddle";
import { readPng } from "./harness/png";
import { open, type Visit } from "./harness/visit";

const heddle = new Heddle();
const cases = heddle.cases();
afterAll(() => heddle.end());

/** Large cases are simulated at full size, by a program that is not optimised for speed. */
const LONG = 240_000;

async function start(name: string): Promise<Visit> {
  await heddle.prepare(name);
  const visit = await open(await heddle.serve(["demo", name]));
  await visit.drawn();
  return visit;
}

/** The pictures of all panes; each shows more than its ground, its grid and its labels. */
async function pictures(visit: Visit): Promise<string[]> {
  const panes = await visit.page.locator('[data-testid^="pane-"]').all();
  expect(panes.length).toBeGreaterThan(0);
  const all: string[] = [];
  for (const pane of panes) {
    const bytes = await visit.picture(pane);
    const { width, height, colours } = readPng(bytes);
    const [ground = 0] = [...colours().values()].sort((a, b) => b - a);
    expect(ground / (width * height), "share of the commonest colour").toBeLessThan(0.97);
    expect(colours().size, "colours").toBeGreaterThan(20);
    all.push(bytes.toString("base64"));
  }
  return all;
}

/** What the card and the address say at a stop. */
async function isAt(visit: Visit, { stops }: Case, index: number): Promise<void> {
  const stop = stops[index];
  await expect.poll(() => visit.get("tour-at").innerText()).toBe(`${index + 1} of ${stops.length}`);
  expect(await visit.get("tour").locator("h3").innerText()).toBe(stop?.title);
  expect(await visit.get("tour").locator("p").innerText()).toBe(stop?.text.replaceAll("`", ""));
  // Were a window outside the run, or a layout unknown, the page would have mended it.
  const said = new URLSearchParams(`${stop?.view}&stop=${index + 1}`);
  expect([...(await visit.place())].sort()).toEqual([...said].sort());
}

describe("the tour", () => {
  for (const study of cases) {
    it(
      `of ${study.name} leads from view to view to its end`,
      async () => {
        const visit = await start(study.name);
        let before: string[] = [];
        for (let index = 0; index < study.stops.length; index += 1) {
          await isAt(visit, study, index);
          const now = await pictures(visit);
          expect(now, `stop ${index + 1} shows something else`).not.toEqual(before);
          before = now;
          if (index === study.stops.length - 1) break;
          // All ways on are as good.
          if (index % 3 === 0) await visit.page.keyboard.press("n");
          else if (index % 3 === 1) await visit.get("tour-next").click();
          else {
            await visit.get("tour-next").focus();
            await visit.page.keyboard.press("ArrowRight");
          }
        }
        // There is nothing beyond the last stop; its button closes the card.
        await visit.page.keyboard.press("n");
        await isAt(visit, study, study.stops.length - 1);
        await visit.get("tour-next").click();
        await expect.poll(() => visit.get("tour").count()).toBe(0);
        expect(await visit.field("stop")).toBeNull();
      },
      LONG,
    );
  }
});

const isDone = (visit: Visit, key: string) =>
  expect.poll(() => visit.get("tour-next").innerText()).toMatch(new RegExp(`^Done\\s+${key}$`));

describe("the card", () => {
  const [study = { name: "", stops: [] }] = cases.filter(({ name }) => name === "halo");

  it("follows Back, and a stop is a link like any other", async () => {
    const visit = await start(study.name);
    await visit.page.keyboard.press("n");
    await isAt(visit, study, 1);
    await visit.page.keyboard.press("n");
    await isAt(visit, study, 2);
    await visit.page.goBack();
    await isAt(visit, study, 1);
    await visit.page.keyboard.press("p");
    await isAt(visit, study, 0);
    await visit.page.keyboard.press("p");
    await isAt(visit, study, 0);
    // With the words, and without.
    const view = study.stops[2]?.view ?? "";
    await visit.page.goto(`${visit.origin}/#${view}&stop=3`);
    await isAt(visit, study, 2);
    await visit.page.goto(`${visit.origin}/#${view}`);
    await expect.poll(() => visit.get("tour").count()).toBe(0);
    await visit.drawn();
    expect((await visit.place()).toString()).toBe(new URLSearchParams(view).toString());
  });

  it("says when one has moved on, and shows the way back", async () => {
    const visit = await start(study.name);
    expect(await visit.get("tour-return").isDisabled()).toBe(true);
    await visit.page.keyboard.press("w");
    await visit.changed("time", null);
    expect(await visit.field("stop")).toBe("1");
    await visit.get("tour-return").click();
    await isAt(visit, study, 0);
    expect(await visit.get("tour-return").isDisabled()).toBe(true);
  });

  it("closes with Esc, gives the focus to its button, and opens again where it was", async () => {
    const visit = await start(study.name);
    await visit.page.keyboard.press("n");
    await isAt(visit, study, 1);
    await visit.get("tour-next").focus();
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.get("tour").count()).toBe(0);
    const focus = () => visit.page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.testid);
    expect(await focus()).toBe("tour-button");
    // Without the card its keys do nothing.
    const before = await visit.place();
    await visit.page.keyboard.press("n");
    expect((await visit.place()).toString()).toBe(before.toString());
    await visit.page.keyboard.press("Enter");
    await isAt(visit, study, 1);
    await expect.poll(focus).toBe("tour-next");
    await visit.page.keyboard.press("ArrowLeft");
    await isAt(visit, study, 0);
  });

  it("closes with Esc wherever the focus is; what one selected oneself goes first", async () => {
    const visit = await start(study.name);
    const last = study.stops.length - 1;
    for (let stop = 0; stop < last; stop += 1) await visit.page.keyboard.press("n");
    await isAt(visit, study, last);
    await visit.drawn();
    await visit.pane("timeline").focus();
    const before = await visit.field("select");
    const at = await visit.plotPoint("timeline", 0.5, 0.31);
    await visit.page.mouse.click(at.x, at.y);
    await visit.changed("select", before);
    // The button does not offer the key while the key means something else.
    expect(await visit.get("tour-next").innerText()).not.toContain("Esc");
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.field("select")).toBeNull();
    await isDone(visit, "Esc");
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.get("tour").count()).toBe(0);
    // What a stop itself selected does not stand in the way.
    const index = study.stops.findIndex(({ view }) => view.includes("select="));
    await visit.page.goto(`${visit.origin}/#${study.stops[index]?.view}&stop=${index + 1}`);
    await isAt(visit, study, index);
    await visit.drawn();
    await visit.page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.get("tour").count()).toBe(0);
    expect(await visit.field("select")).not.toBeNull();
  });

  it("lies on no picture, in wide and in narrow windows", async () => {
    const visit = await start(study.name);
    for (const width of [1600, 1280, 1000, 700]) {
      await visit.page.setViewportSize({ width, height: 900 });
      await visit.drawn();
      const card = await visit.box(visit.get("tour"));
      for (const pane of await visit.page.locator('[data-testid^="pane-"]').all()) {
        const box = await visit.box(pane);
        const apart = card.x >= box.x + box.width || card.y + card.height <= box.y;
        expect(apart, `card and pane at ${width} pixels`).toBe(true);
        expect(box.height).toBeGreaterThan(60);
      }
    }
    // Nor do the details, which come over the views in narrow windows, once they are closed again.
    const index = study.stops.findIndex(({ view }) => view.includes("select="));
    await visit.page.goto(`${visit.origin}/#${study.stops[index]?.view}&stop=${index + 1}`);
    await visit.get("open-details").click();
    await expect.poll(() => visit.get("details").isVisible()).toBe(true);
    await visit.page.keyboard.press("Escape");
    await visit.get("tour-close").click({ trial: true });
  });

  it("has its buttons beside its title, however long that is", async () => {
    const visit = await start("merge-tree");
    const [title, close] = await Promise.all(
      [visit.get("tour").locator("h2 .label"), visit.get("tour-close")].map((one) => visit.box(one)),
    );
    expect(close?.x).toBeGreaterThan((title?.x ?? 0) + (title?.width ?? 0) - 1);
    expect(close?.y).toBeLessThan((title?.y ?? 0) + (title?.height ?? 0));
  });

  it("keeps nobody out", async () => {
    for (const theme of ["light", "dark"] as const) {
      const visit = await open(await heddle.serve(["demo", study.name]), { theme });
      await visit.drawn();
      expect(await barriers(visit), theme).toEqual([]);
      await visit.page.keyboard.press("n");
      await isAt(visit, study, 1);
      await visit.drawn();
      expect(await barriers(visit), theme).toEqual([]);
    }
  });

  it("is not there for a trace of one's own", async () => {
    const visit = await open("small", { at: "stop=1" });
    await visit.drawn();
    expect(await visit.get("tour").count()).toBe(0);
    expect(await visit.get("tour-button").count()).toBe(0);
  });
});
