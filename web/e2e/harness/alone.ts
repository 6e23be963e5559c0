/** For scripts that are no tests: a browser of one's own, and the page of a store or of a server that runs already. */
import { type Browser, chromium, type Page } from "playwright-core";
import { launchOptions, VIEWPORT } from "./chromium";
import { Heddle } from "./heddle";

const DRAWN_MS = 120_000;

/** Gives the work a browser and the address of the page, and cleans up after it. */
export async function withPage(what: string, work: (browser: Browser, url: string) => Promise<void>): Promise<void> {
  const heddle = new Heddle();
  const browser = await chromium.launch(launchOptions());
  try {
    const url = what.startsWith("http://") ? what : (await heddle.serve(["open", what])).url;
    await work(browser, url);
  } finally {
    await browser.close();
    await heddle.end();
  }
}

export async function newPage(browser: Browser, theme: "light" | "dark" = "light"): Promise<Page> {
  return (await browser.newContext({ viewport: VIEWPORT, colorScheme: theme })).newPage();
}

/** Until every pane has drawn what it should show. Gives the time of the page's clock when that was so. */
export async function drawn(page: Page): Promise<number> {
  return page.evaluate(async (limit) => {
    const end = performance.now() + limit;
    for (;;) {
      const panes = [...document.querySelectorAll<HTMLElement>("[data-busy]")];
      const isStill = panes.every(({ dataset }) => dataset.busy === "false" && dataset.scene !== "0");
      if (panes.length > 1 && isStill) return performance.now();
      if (performance.now() > end) throw new Error(`nothing was drawn; the page says:\n${document.body.innerText}`);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }, DRAWN_MS);
}
