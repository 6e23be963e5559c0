/**
 * Measures the page, for `npm run measure -- STORE|URL`; a measurement, not a test: it prints, it does not judge.
 *
 * From the address to the first picture (best and median of several visits), the script's time for a frame while the
 * picture is dragged to and fro, which the page itself records as "heddle-frame", and what a move of the pointer costs it: what
 * handles the event, and "heddle-cursor", which moves the lines in all panes.
 */
import process from "node:process";
import type { Browser } from "playwright-core";
import { drawn, newPage, withPage } from "./harness/alone";

const VISITS = 5;
const MOVES = 120;

const median = (list: number[]) => at(list, 0.5);

function at(list: number[], share: number): number {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}

async function firstPicture(browser: Browser, url: string): Promise<number> {
  const page = await newPage(browser);
  await page.goto(url, { waitUntil: "commit" });
  const took = await drawn(page);
  await page.context().close();
  return took;
}

/** The script's time for each drawing of a pane while the picture is dragged. */
async function frames(browser: Browser, url: string): Promise<number[]> {
  const page = await newPage(browser);
  await page.goto(url);
  await drawn(page);
  // Nearer, so that there is room to drag.
  for (let i = 0; i < 4; i += 1) await page.keyboard.press("w");
  await drawn(page);
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const one of list.getEntriesByName("heddle-frame")) seen.push(one.duration);
    }).observe({ type: "measure" });
  });
  const box = await page.getByTestId("pane-timeline").boundingBox();
  if (!box) throw new Error("the timeline is not to be seen");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 0; i < MOVES; i += 1) await page.mouse.move(x + 200 * Math.sin(i / 10), y);
  await page.mouse.up();
  await drawn(page);
  const seen = await page.evaluate(() => (window as unknown as { seen: number[] }).seen);
  await page.context().close();
  return seen;
}

/** The script's time for each move of the pointer over the timeline: by itself, and while it measures. */
async function moves(browser: Browser, url: string, measures: boolean): Promise<number[]> {
  const page = await newPage(browser);
  await page.goto(url);
  await drawn(page);
  const holder = page.getByTestId("pane-timeline");
  const box = await holder.boundingBox();
  if (!box) throw new Error("the timeline is not to be seen");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  if (measures) {
    await page.keyboard.press("r");
    await page.mouse.down();
    await page.mouse.move(x + 20, y);
  }
  const spent = await holder.evaluate(
    async (element, { x, y, count }) => {
      const spent: number[] = [];
      for (let i = 0; i < count; i += 1) {
        const at = { clientX: x + 200 * Math.sin(i / 10), clientY: y, pointerId: 1, bubbles: true };
        const start = performance.now();
        element.dispatchEvent(new PointerEvent("pointermove", at));
        const handled = performance.now() - start;
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        const lines = performance.getEntriesByName("heddle-cursor").at(-1)?.duration ?? 0;
        spent.push(handled + lines);
      }
      return spent;
    },
    { x, y, count: MOVES },
  );
  await page.context().close();
  return spent;
}

const what = process.argv[2];
if (!what) throw new Error("give a store, a trace, or the address of a running server");
await withPage(what, async (browser, url) => {
  // The first visit warms the server's files up for the others.
  await firstPicture(browser, url);
  const visits: number[] = [];
  for (let i = 0; i < VISITS; i += 1) visits.push(await firstPicture(browser, url));
  const script = await frames(browser, url);
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  console.log(`first picture   best ${ms(Math.min(...visits))}, median ${ms(median(visits))} of ${VISITS} visits`);
  console.log(
    `script a frame  median ${ms(median(script))}, 95 % ${ms(at(script, 0.95))}, most ${ms(Math.max(...script))}`,
  );
  console.log(`                ${script.length} draws of panes while panning`);
  for (const [name, measures] of [
    ["cursor a move ", false],
    ["ruler a move  ", true],
  ] as const) {
    const spent = await moves(browser, url, measures);
    console.log(
      `${name}  median ${ms(median(spent))}, 95 % ${ms(at(spent, 0.95))}, most ${ms(Math.max(...spent))} of ${MOVES} moves`,
    );
  }
});
