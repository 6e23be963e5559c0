/**
 * One person with one page: what they see, point at and read.
 *
 * Waits are for what the page says about itself (`data-busy`, `data-scene`, the address), never for time to pass. Every
 * visit keeps a list of what must not happen anywhere: requests to other origins, errors on the console, things that the
 * content policy stopped. `closeVisits` looks at it after each test.
 */
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { expect, inject } from "vitest";
import type { Picked } from "../../src/api/types";
import type { SceneScale } from "../../src/scene/types";
import { VIEWPORT } from "./chromium";
import { type Picture, readPng } from "./png";
import type { TraceName } from "./setup";
import { recordTexts } from "./texts";

const DRAWN_MS = 30_000;
/** For an element to appear, or to take a click. */
const WAIT_MS = 10_000;

/** What the page asked the server to draw, as far as tests look at it. */
export interface SceneHeader {
  plot: [x: number, y: number, width: number, height: number];
  x: { from: string; to: string };
  y: { from: string; to: string; count?: number; ticks: [number, string][]; scale?: SceneScale };
  labels: { at: [number, number]; text: string }[];
  notes: string[];
  layers: { kind: string; count?: number }[];
}

export interface Point {
  x: number;
  y: number;
}

export interface OpenOptions {
  theme?: "light" | "dark";
  /** What the fragment says beyond the token: `time=0:500&rows=0:2`. Without it, the overview; "" leaves it to the page. */
  at?: string;
  width?: number;
  /** Whether texts on canvases are taken down; see `texts.ts`. */
  texts?: boolean;
}

let connection: Promise<Browser> | undefined;
const visits = new Set<Visit>();

/** Opens a trace of the set-up, or the address that a server printed, in a browser that has never seen it. */
export async function open(what: TraceName | { url: string }, options: OpenOptions = {}): Promise<Visit> {
  const url = typeof what === "string" ? inject("urls")[what] : what.url;
  connection ??= chromium.connect(inject("browser"));
  const context = await (await connection).newContext({
    viewport: { ...VIEWPORT, width: options.width ?? VIEWPORT.width },
    colorScheme: options.theme ?? "light",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(WAIT_MS);
  if (options.texts) await recordTexts(context);
  const at = options.at ?? "layout=overview";
  const rest = typeof what === "string" && at !== "" ? `&v=1&trace=${what}&${at}` : "";
  return enter(context, url + rest);
}

async function enter(context: BrowserContext, url: string): Promise<Visit> {
  const visit = new Visit(await context.newPage(), new URL(url).origin);
  visits.add(visit);
  await visit.page.goto(url);
  return visit;
}

export class Visit {
  /** What must not happen, and did. */
  readonly faults: string[] = [];
  private readonly expected: RegExp[] = [];
  /** The last scene that each view was asked for. */
  private readonly asked = new Map<string, string>();

  constructor(
    readonly page: Page,
    readonly origin: string,
  ) {
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) this.faults.push(`a request to ${url}`);
      const view = /\/scene\/([a-z0-9]+)\?.*frame=(?:pane|wide|tree|nodes)/.exec(url)?.[1];
      // A close-up is a timeline of other rows, beside one of all.
      if (view) this.asked.set(url.includes("fold=path") ? "closeup" : view, url);
    });
    page.on("pageerror", (error) => this.faults.push(`an error: ${error.stack ?? error.message}`));
    page.on("console", (message) => {
      const text = `${message.type()}: ${message.text()} (${message.location().url})`;
      // Screenshots of a canvas make the driver complain; that is ours, not the page's.
      if (["error", "warning"].includes(message.type()) && !text.includes("GL Driver Message")) this.faults.push(text);
    });
  }

  /** Says that something will go wrong on purpose. */
  expectFault(...patterns: RegExp[]): void {
    this.expected.push(...patterns);
  }

  get unexpected(): string[] {
    return this.faults.filter((fault) => !this.expected.some((pattern) => pattern.test(fault)));
  }

  /** A second page of the same browser, which shares the session. */
  async another(url: string): Promise<Visit> {
    return enter(this.page.context(), url);
  }

  // What is there

  get(testid: string): Locator {
    return this.page.getByTestId(testid);
  }

  /** The panes of a view, in reading order. */
  pane(view: string): Locator {
    return this.get(`pane-${view}`);
  }

  /** The words in a pane's head: what window it shows. */
  subtitle(view: string): Locator {
    return this.page.locator("section.pane", { has: this.pane(view) }).locator(".sub");
  }

  fact(label: string): Locator {
    const term = this.page.locator("dt", { hasText: new RegExp(`^${label}$`) });
    return this.get("details-fact").filter({ has: term }).locator("dd");
  }

  legendRow(name: string): Locator {
    return this.page.locator(`[data-testid="legend-row"][data-region="${name}"]`);
  }

  /** What the address says. */
  async place(): Promise<URLSearchParams> {
    return new URLSearchParams((await this.page.evaluate(() => window.location.hash)).slice(1));
  }

  async field(name: string): Promise<string | null> {
    return (await this.place()).get(name);
  }

  /** A window of the address. */
  async window(name: "time" | "rows" | "steps" | "columns" | "across" | "down"): Promise<[number, number] | null> {
    const [from, to] = (await this.field(name))?.split(":").map(Number) ?? [];
    return from === undefined || to === undefined ? null : [from, to];
  }

  // Waiting

  /** Until every pane has drawn what it should show by now. */
  async drawn(): Promise<void> {
    try {
      await this.untilDrawn();
    } catch (error) {
      // The page loaded itself anew, as it does for another server's token.
      if (!String(error).includes("context was destroyed")) throw error;
      await this.page.waitForLoadState();
      await this.untilDrawn();
    }
  }

  private async untilDrawn(): Promise<void> {
    await this.page.evaluate(async (limit) => {
      const end = performance.now() + limit;
      const panes = () => [...document.querySelectorAll<HTMLElement>("[data-busy]")];
      // A pane without anything to compute says so instead of drawing.
      const isSaid = (pane: HTMLElement) => pane.closest(".body")?.querySelector('[data-state="none"]') !== null;
      const isStill = () =>
        panes().every((pane) => pane.dataset.busy === "false" && (pane.dataset.scene !== "0" || isSaid(pane)));
      // Several frames: a scene is drawn in the frame after it came, and so may a pane that has just been added.
      for (let calm = 0; calm < 4; calm += 1) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        if (panes().length < 2 || !isStill() || document.fonts.status !== "loaded") calm = -1;
        if (performance.now() > end) throw new Error(`nothing was drawn; the page says:\n${document.body.innerText}`);
      }
    }, DRAWN_MS);
  }

  /** Until the address has settled on another value of a field than `before`. */
  async changed(field: string, before: string | null): Promise<string | null> {
    await expect.poll(() => this.field(field), { message: `${field} in the address` }).not.toBe(before);
    return this.field(field);
  }

  // Pictures

  /** A pane as it looks when neither pointer nor focus is on it. */
  async picture(pane: Locator): Promise<Buffer> {
    await this.page.mouse.move(2, 2);
    await this.page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    await this.drawn();
    return pane.screenshot();
  }

  async pixels(pane: Locator): Promise<Picture> {
    return readPng(await this.picture(pane));
  }

  // Pointing

  /** The scene that a view shows, asked for again as the page did. */
  async scene(view: string): Promise<SceneHeader> {
    await this.drawn();
    const answer = await this.page.context().request.get(this.asked.get(view) ?? "");
    const bytes = await answer.body();
    return JSON.parse(bytes.toString("utf8", 16, 16 + bytes.readUInt32LE(8)));
  }

  /** The first place along a line of a view's picture where the server says that something wanted lies. */
  async search(
    view: string,
    across: { from: number; to: number },
    y: number,
    isWanted: (picked: Picked) => boolean,
  ): Promise<number> {
    await this.drawn();
    const url = (this.asked.get(view) ?? "").replace("/scene/", "/pick/");
    for (let x = across.from; x < across.to; x += 3) {
      const answer = await this.page.context().request.get(`${url}&at_x=${x}&at_y=${y}`);
      const picked = answer.ok() ? ((await answer.json()) as Picked | null) : null;
      if (picked !== null && isWanted(picked)) return x;
    }
    throw new Error(`nothing of the kind in ${view} at ${y}`);
  }

  /** Where a moment lies in a pane, and a row if one is given; in pixels of the window. */
  async pointAt(view: string, time: number, row?: number): Promise<Point> {
    const { plot, x, y } = await this.scene(view);
    const box = await this.box(this.pane(view));
    const share = (value: number, axis: { from: string; to: string }) =>
      (value - Number(axis.from)) / (Number(axis.to) - Number(axis.from));
    const down = row === undefined ? 0.5 : share(row + 0.5, y);
    return { x: box.x + plot[0] + plot[2] * share(time, x), y: box.y + plot[1] + plot[3] * down };
  }

  /** A place in the plot of a pane by its shares of width and height. */
  async plotPoint(view: string, across: number, down: number): Promise<Point> {
    const { plot } = await this.scene(view);
    const box = await this.box(this.pane(view));
    return { x: box.x + plot[0] + plot[2] * across, y: box.y + plot[1] + plot[3] * down };
  }

  async box(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
    const box = await locator.boundingBox();
    if (!box) throw new Error("it is not to be seen");
    return box;
  }

  async drag(from: Point, to: Point): Promise<void> {
    const { mouse } = this.page;
    await mouse.move(from.x, from.y);
    await mouse.down();
    await mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
    await mouse.move(to.x, to.y, { steps: 3 });
    await mouse.up();
  }

  async wheel(at: Point, by: number, modifier?: "Alt" | "Shift" | "Control"): Promise<void> {
    await this.page.mouse.move(at.x, at.y);
    if (modifier) await this.page.keyboard.down(modifier);
    await this.page.mouse.wheel(0, by);
    if (modifier) await this.page.keyboard.up(modifier);
  }

  // Asking the server beside the page

  async api<T>(path: string): Promise<T> {
    const answer = await this.page.context().request.get(`${this.origin}/api/v1/${path}`);
    return (await answer.json()) as T;
  }
}

/** Closes all pages. After a test that passed, they must have kept the rules; after one that failed, a picture is kept. */
export async function closeVisits(failed: string | null): Promise<void> {
  const open = [...visits];
  visits.clear();
  for (const [number, visit] of open.entries()) {
    if (failed !== null) await keepPicture(visit, `${failed} ${number}`);
    await visit.page.context().close();
  }
  expect(open.flatMap((visit) => visit.unexpected)).toEqual([]);
}

async function keepPicture(visit: Visit, name: string): Promise<void> {
  const folder = join(tmpdir(), "heddle-e2e-failed");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name.replaceAll(/\W+/g, "-")}.png`);
  try {
    await visit.page.screenshot({ path });
    console.error(`${visit.page.url()}\nas it was: ${path}`);
  } catch (error) {
    console.error(`no picture of the failed page: ${error}`);
  }
}
