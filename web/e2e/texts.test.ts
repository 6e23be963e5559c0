/** All that is written on the page can be read: no two texts overlap, none is cut off, in windows of three widths. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Heddle, type Server } from "./harness/heddle";
import { unreadable } from "./harness/texts";
import { open, type Visit } from "./harness/visit";

const WIDTHS = [700, 1000, 1600];
const LAYOUTS = ["overview", "calls", "logical", "timeline", "matrix", "progress"];
const LONG = 240_000;

const heddle = new Heddle();
afterAll(() => heddle.end());

/** Looks at a page in windows of all widths, and in each at what is folded away there. */
async function look(visit: Visit, what: string, widths: readonly number[] = WIDTHS): Promise<string[]> {
  const all: string[] = [];
  for (const width of widths) {
    await visit.page.setViewportSize({ width, height: 900 });
    const note = async (of: string) => {
      const found = await unreadable(visit);
      all.push(...found.map((one) => `${what}, ${width} pixels${of}: ${one}`));
    };
    await note("");
    if (width <= 760) {
      for (const side of ["trace", "details"]) {
        await visit.get(`open-${side}`).click();
        await note(`, ${side}`);
        await visit.page.keyboard.press("Escape");
      }
    } else if (width <= 1100) {
      await visit.page.getByRole("tab", { name: "Details", exact: true }).click();
      await note(", details");
      await visit.page.getByRole("tab", { name: "Key and filters" }).click();
    }
  }
  return all;
}

/** Goes through the layouts that a page offers. */
async function lookAtLayouts(visit: Visit, what: string, layouts: readonly string[] = LAYOUTS): Promise<string[]> {
  const all: string[] = [];
  let looked = 0;
  for (const layout of layouts) {
    await visit.page.setViewportSize({ width: 700, height: 900 });
    const offered = await visit
      .get("layout-select")
      .locator("option")
      .evaluateAll((options) => options.map((one) => (one as HTMLOptionElement).value));
    if (!offered.includes(layout)) continue;
    await visit.get("layout-select").selectOption(layout);
    all.push(...(await look(visit, `${what}, ${layout}`)));
    looked += 1;
  }
  // A page that offers none of them was not looked at.
  expect(looked, `layouts of ${what}`).toBeGreaterThan(0);
  return all;
}

describe("every text can be read", () => {
  for (const name of ["small", "slow", "matrix", "large"] as const) {
    for (const theme of ["light", "dark"] as const) {
      it(
        `in all layouts of ${name}, ${theme}`,
        async () => {
          const visit = await open(name, { theme, texts: true });
          await visit.drawn();
          expect(await lookAtLayouts(visit, name)).toEqual([]);
        },
        LONG,
      );
    }
  }

  it(
    "with a call selected, in the logical view with an event, and with a rectangle brushed",
    async () => {
      for (const at of [
        "layout=overview&select=37:40",
        "layout=logical&select=event:37:20",
        "layout=calls&select=window:10000000:60000000:1000:20000000",
      ]) {
        const visit = await open("slow", { at, texts: true });
        // An event has no details before its steps are there.
        visit.expectFault(/status of 409/);
        await visit.drawn();
        expect(await look(visit, at)).toEqual([]);
      }
    },
    LONG,
  );

  it(
    "in help, palette, menus and hits of the search",
    async () => {
      for (const width of WIDTHS) {
        const visit = await open("slow", { width, texts: true });
        await visit.drawn();
        for (const key of ["?", "Control+k"]) {
          await visit.page.keyboard.press(key);
          await expect.poll(() => visit.page.locator("dialog").count()).toBe(1);
          expect(await unreadable(visit), `${key} at ${width}`).toEqual([]);
          await visit.page.keyboard.press("Escape");
          await expect.poll(() => visit.page.locator("dialog").count()).toBe(0);
        }
        await visit.get("figure").click();
        expect(await unreadable(visit), `menu at ${width}`).toEqual([]);
        await visit.page.keyboard.press("Escape");
        for (const query of ["mpi", "node", "nothing like it"]) {
          await visit.get("search").fill(query);
          await expect
            .poll(() => visit.page.locator('[data-testid="search-hit"], [data-testid="search-nothing"]').count())
            .toBeGreaterThan(0);
          expect(await unreadable(visit), `${query} at ${width}`).toEqual([]);
        }
      }
    },
    LONG,
  );
});

describe("every text of a tour can be read", () => {
  for (const name of ["halo", "multigrid", "train"]) {
    it(
      `of ${name}`,
      async () => {
        const visit = await open(await heddle.serve(["demo", name]), { texts: true });
        await visit.drawn();
        const all: string[] = [];
        const { stops } = heddle.cases().find((one) => one.name === name) ?? { stops: [] };
        for (let stop = 0; stop < stops.length; stop += 1) {
          for (const width of WIDTHS) {
            await visit.page.setViewportSize({ width, height: 900 });
            all.push(...(await unreadable(visit)).map((one) => `stop ${stop + 1}, ${width} pixels: ${one}`));
          }
          await visit.page.keyboard.press("n");
        }
        expect(all).toEqual([]);
      },
      LONG,
    );
  }
});

/** Traces of real programs, of which each format has its own long names. */
const TRACES = process.env.HEDDLE_TRACES ?? "";
const REAL = {
  kineto: "kineto/nccl-2ranks-rank0.json.gz",
  starpu: "starpu/lu30_normal/paje.trace.gz",
  otf2: "otf2/scorep-mi300-metrics-32/traces.otf2",
  clog2: "clog2/eig_r16.clog2",
  slog2: "clog2/lu_r16.slog2",
  paraver: "paraver/lulesh-8ranks-2iterations.prv",
};

describe("every text of a real trace can be read", () => {
  for (const [name, file] of Object.entries(REAL)) {
    const path = join(TRACES, file);
    describe.skipIf(TRACES === "")(name, () => {
      let server: Server;
      beforeAll(async () => {
        server = await heddle.serve(["open", path]);
      });
      it(
        "in all layouts",
        async () => {
          const visit = await open(server, { texts: true });
          await visit.drawn();
          expect(await lookAtLayouts(visit, name)).toEqual([]);
        },
        LONG,
      );
    });
  }
});
