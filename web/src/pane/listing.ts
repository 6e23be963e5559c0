/**
 * Panes that show a list: the wheel scrolls it, keys go from line to line and open and close what has parts.
 *
 * Only the server knows the lines, so a key asks it where it leads, and the answer is taken like a click. Keys that come
 * faster than answers wait for their turn.
 */
import { fetchStep, type ListStep } from "../api/client";
import type { Picked } from "../api/types";
import { printable } from "../base/format";
import type { SceneAxis } from "../scene/types";
import type { SceneRequest } from "./loader";

/** Pixels of a wheel for each line. */
const LINE = 22;
/** Keys that wait: somebody who holds one down for longer lets go before they are through. */
const MOST_WAITING = 4;

const KEYS: Readonly<Record<string, ListStep>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "out",
  ArrowRight: "in",
  PageUp: "page-up",
  PageDown: "page-down",
  Home: "first",
  End: "last",
};

/** What a listing needs of its pane. */
export interface ListingHooks {
  /** The lines that are shown; null where the picture is no list. */
  lines(): SceneAxis | null;
  /** The scene that is wanted now. */
  request(): SceneRequest | null;
  /** Scrolls so that this line is the first. */
  scroll(first: number): void;
  picked(picked: Picked): void;
}

export class Listing {
  private readonly waiting: ListStep[] = [];
  private isAsking = false;
  /** Where it was scrolled to since the last picture. */
  private first: number | null = null;
  /** Parts of a line that the wheel has turned. */
  private turned = 0;
  private readonly gone = new AbortController();
  /** Says lines to those who do not see them. */
  private readonly voice = document.createElement("div");

  constructor(
    holder: HTMLElement,
    private readonly hooks: ListingHooks,
  ) {
    this.voice.className = "pane-voice";
    this.voice.setAttribute("aria-live", "polite");
    holder.append(this.voice);
    holder.addEventListener("keydown", (event) => this.press(event), { signal: this.gone.signal });
  }

  /** Another picture is there: it says itself where it is scrolled to. */
  drawn(): void {
    this.first = null;
  }

  /** Scrolls by pixels. */
  scroll(pixels: number): void {
    const lines = this.hooks.lines();
    if (lines === null) return;
    this.turned += pixels / LINE;
    const whole = Math.trunc(this.turned);
    this.turned -= whole;
    const last = Math.max(lines.count - (lines.to - lines.from), 0);
    const now = this.first ?? lines.from;
    const next = Math.max(0, Math.min(now + whole, last));
    if (next === now) return;
    this.first = next;
    this.hooks.scroll(next);
  }

  private press(event: KeyboardEvent): void {
    const step = KEYS[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (this.hooks.lines() === null) return;
    event.preventDefault();
    if (this.waiting.length < MOST_WAITING) this.waiting.push(step);
    void this.ask();
  }

  private async ask(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    for (let step = this.waiting.shift(); step !== undefined; step = this.waiting.shift()) {
      const request = this.hooks.request();
      if (request === null) continue;
      try {
        const picked = await fetchStep(request.trace, request.view, request.params, step, this.gone.signal);
        if (picked === null) continue;
        this.hooks.picked(picked);
        this.voice.textContent = printable([picked.title, ...picked.lines].join(", "), 400);
      } catch {
        // That the server is gone is said when the pane next needs a scene.
        this.waiting.length = 0;
      }
    }
    this.isAsking = false;
  }

  dispose(): void {
    this.gone.abort();
    this.voice.remove();
  }
}
