/**
 * Pictures of the page for the documents and for looking at: `npm run pictures -- STORE|URL [FOLDER]`.
 *
 * The overview, a zoomed state with a selected message, what one does by hand (ruler and cursor, two windows beside each other, an
 * area in numbers, a note), and the layouts that show numbers, each light and dark. `docs/pictures/page.png` is the fourth
 * stop of `heddle demo halo`; the others there are of the same case, light.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Page } from "playwright-core";
import type { Target, TraceInfo } from "../src/api/types";
import { drawn, newPage, withPage } from "./harness/alone";

/** Where pictures are taken: some iterations in the middle of the run, a few rows, and a wait in them. */
interface Place {
  trace: string;
  time: [number, number];
  rows: [number, number];
  select: string;
  end: number;
}

async function placeOf(page: Page): Promise<Place> {
  return page.evaluate(async () => {
    const ask = async <T>(path: string): Promise<T> => (await fetch(`/api/v1/traces${path}`)).json();
    const trace = encodeURIComponent(new URLSearchParams(window.location.hash.slice(1)).get("trace") ?? "");
    const info = await ask<TraceInfo>(`/${trace}`);
    const end = Number(info.end_ns);
    const wait = info.regions.find((one) => one.communication && one.name.includes("Wait")) ?? info.regions[0];
    const query = `region=${wait?.id}&after=${Math.round(end / 2)}&direction=next`;
    const target = await ask<Target | null>(`/${trace}/find?${query}`);
    const start = Number(target?.start_ns ?? end / 2);
    const width = Math.min(end / 12, 8e6);
    const row = target?.row ?? 0;
    return {
      trace,
      time: [Math.round(Math.max(start - width / 2, 0)), Math.round(Math.min(start + width / 2, end))],
      rows: [Math.max(row - 12, 0), Math.max(row - 12, 0) + Math.min(24, info.rows)],
      select: target?.select ?? "",
      end,
    };
  });
}

/** A picture of the page: where it is, and what is done there before it is taken. */
interface Shot {
  name: string;
  at: (place: Place) => string;
  act?: (page: Page) => Promise<void>;
}

const near = ({ time, rows }: Place) => `time=${time.join(":")}&rows=${rows.join(":")}`;

/** Two windows of the same length: the second begins where the first ends. */
function beside({ time: [from, to], rows, end }: Place): string {
  const later = Math.min(to, end - (to - from));
  const own = `timeline(time=${later}:${later + to - from})`;
  return `layout=1r(500timeline,500${own})&time=${from}:${to}&rows=${rows.join(":")}`;
}

/** From a quarter to three quarters of a timeline, the pointer left there. */
async function measure(page: Page): Promise<void> {
  const box = await page.getByTestId("pane-timeline").boundingBox();
  if (!box) return;
  const [y, x] = [box.y + box.height / 2, (share: number) => box.x + box.width * share];
  await page.keyboard.press("r");
  await page.mouse.move(x(0.25), y);
  await page.mouse.down();
  for (let share = 0.25; share <= 0.6; share += 0.05) await page.mouse.move(x(share), y);
  await page.mouse.up();
  await page.mouse.move(x(0.72), y + 40);
}

const SHOTS: readonly Shot[] = [
  { name: "overview", at: () => "" },
  { name: "zoomed", at: (place) => `${near(place)}&select=${place.select}` },
  { name: "ruler", at: (place) => `layout=overview&${near(place)}`, act: measure },
  { name: "windows", at: beside },
  {
    name: "area",
    at: (place) => {
      const [[from, to], [first, last]] = [place.time, place.rows];
      const [third, rows] = [Math.round((to - from) / 3), Math.floor((last - first) / 4)];
      return `layout=timeline&${near(place)}&select=area:${from + third}:${to - third}:${first + rows}-${last - rows - 1}`;
    },
  },
  { name: "note", at: (place) => `layout=timeline&${near(place)}`, act: (page) => page.keyboard.press("b") },
  { name: "profile", at: () => "layout=profile" },
  { name: "matrix", at: () => "layout=matrix" },
  { name: "counters", at: () => "layout=counters" },
];

/** What stands out of a large run takes a while. */
const IDLE_MS = 300_000;

async function take(page: Page, shot: Shot, path: string): Promise<void> {
  await drawn(page);
  await page.evaluate(() => document.fonts.ready.then(() => {}));
  await page.mouse.move(2, 2);
  await shot.act?.(page);
  await page.waitForLoadState("networkidle", { timeout: IDLE_MS });
  await drawn(page);
  await page.screenshot({ path });
  console.log(path);
}

const [what, folder = "."] = process.argv.slice(2);
if (!what) throw new Error("give a store, a trace, or the address of a running server; then, if you like, a folder");
mkdirSync(folder, { recursive: true });
await withPage(what, async (browser, url) => {
  for (const theme of ["light", "dark"] as const) {
    const page = await newPage(browser, theme);
    await page.goto(url);
    await drawn(page);
    const place = await placeOf(page);
    for (const shot of SHOTS) {
      // The address without its place leads to where a newcomer begins.
      await page.goto(`${new URL(url).origin}/#v=1&trace=${place.trace}&${shot.at(place)}`);
      await page.reload();
      await take(page, shot, join(folder, `${shot.name}-${theme}.png`));
    }
    await page.context().close();
  }
});
