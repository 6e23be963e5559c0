/**
 * Pictures of the page for the documents and for looking at: `npm run pictures -- STORE|URL [FOLDER]`.
 *
 * The overview and a zoomed state with a selected message, each light and dark. `docs/pictures/page.png` is the fourth
 * stop of `heddle demo halo`.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Page } from "playwright-core";
import type { Target, TraceInfo } from "../src/api/types";
import { drawn, newPage, withPage } from "./harness/alone";

/** A window of some iterations in the middle of the run, a few rows, and a wait in it selected with its message. */
async function zoomed(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const ask = async <T>(path: string): Promise<T> => (await fetch(`/api/v1/traces${path}`)).json();
    const id = new URLSearchParams(window.location.hash.slice(1)).get("trace") ?? "";
    const info = await ask<TraceInfo>(`/${encodeURIComponent(id)}`);
    const end = Number(info.end_ns);
    const wait = info.regions.find((one) => one.communication && one.name.includes("Wait")) ?? info.regions[0];
    const query = `region=${wait?.id}&after=${Math.round(end / 2)}&direction=next`;
    const target = await ask<Target | null>(`/${encodeURIComponent(id)}/find?${query}`);
    const start = Number(target?.start_ns ?? end / 2);
    const width = Math.min(end / 12, 8e6);
    const row = target?.row ?? 0;
    const rows = [Math.max(row - 12, 0), Math.max(row - 12, 0) + Math.min(24, info.rows)];
    const time = [Math.max(start - width / 2, 0), Math.min(start + width / 2, end)].map(Math.round);
    return `v=1&trace=${encodeURIComponent(id)}&time=${time.join(":")}&rows=${rows.join(":")}&select=${target?.select ?? ""}`;
  });
}

async function take(page: Page, path: string): Promise<void> {
  await drawn(page);
  await page.evaluate(() => document.fonts.ready.then(() => {}));
  await page.mouse.move(2, 2);
  await page.waitForLoadState("networkidle");
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
    await take(page, join(folder, `overview-${theme}.png`));
    await page.goto(`${new URL(url).origin}/#${await zoomed(page)}`);
    await take(page, join(folder, `zoomed-${theme}.png`));
    await page.context().close();
  }
});
