/**
 * What lies over all panes with an axis of time: the cursor, a thin line at the moment under the pointer wherever that is, and
 * the ruler.
 *
 * Elements of their own rather than marks on a canvas: they follow the pointer, and moving one costs neither a drawing nor a
 * request.
 */
import { effect } from "@preact/signals";
import { formatDuration, formatTime } from "../base/format";
import type { Range } from "../draw/view";
import type { Rect } from "../scene/types";
import { type Ruler, ruler, rulerTool } from "../state/state";
import { valueAt } from "./navigate";
import { timeWords } from "./words";

const panes = new Set<TimeMarks>();
/** The moment under the pointer, and how long a pixel is there. */
let cursor: { at: number; precision: number } | null = null;
let scheduled = 0;

/** Moves the lines of all panes, at most once a frame. */
function point(at: typeof cursor): void {
  if (at === null && cursor === null) return;
  cursor = at;
  if (scheduled === 0) scheduled = requestAnimationFrame(move);
}

function move(): void {
  scheduled = 0;
  const start = performance.now();
  for (const pane of panes) pane.moveCursor();
  performance.clearMeasures("heddle-cursor");
  performance.measure("heddle-cursor", { start, end: performance.now() });
}

/** "3.003 ms, 197.741–200.744 ms": the ends as finely as the digits of its length. */
export function rulerWords({ from, to }: Ruler): string {
  return `${formatDuration(to - from)}, ${timeWords([from, to], 1_000)}`;
}

function made(name: string, ...children: HTMLElement[]): HTMLElement {
  const element = document.createElement("div");
  element.className = name;
  element.append(...children);
  return element;
}

export class TimeMarks {
  private readonly line = made("time-cursor");
  private readonly length = made("ruler-length");
  private readonly beside = made("ruler-beside");
  private readonly label: HTMLElement;
  private readonly stretch = made("ruler-stretch");
  private readonly all: HTMLElement;
  private plot: Rect | null = null;
  private window: Range = [0, 1];
  private readonly end: () => void;

  /** `source` is what the pointer moves over. The strip says the moment; the other panes have the ruler's length. */
  constructor(
    private readonly holder: HTMLElement,
    source: HTMLElement,
    private readonly isStrip: boolean,
  ) {
    this.label = made("ruler-label", made("ruler-room"), this.length, this.beside);
    this.all = made("time-marks", this.stretch, this.label, this.line);
    this.all.setAttribute("aria-hidden", "true");
    this.line.dataset.testid = isStrip ? "cursor-time" : "time-cursor";
    this.length.dataset.testid = "ruler";
    holder.append(this.all);
    panes.add(this);
    const ended = new AbortController();
    const { signal } = ended;
    source.addEventListener("pointermove", (event) => this.pointed(event), { signal });
    source.addEventListener("pointerleave", () => point(null), { signal });
    const stop = effect(() => {
      this.moveRuler(ruler.value);
      holder.classList.toggle("measures", rulerTool.value && !isStrip);
    });
    this.end = () => {
      ended.abort();
      stop();
      panes.delete(this);
      this.all.remove();
    };
  }

  /** Where time lies on the canvas by now; null while there is no axis of time. */
  place(plot: Rect | null, window: Range): void {
    const [before, was] = [this.plot, this.window];
    const isSame =
      before !== null &&
      plot !== null &&
      (["x", "y", "width", "height"] as const).every((side) => before[side] === plot[side]);
    if (isSame && was[0] === window[0] && was[1] === window[1]) return;
    [this.plot, this.window] = [plot, window];
    this.all.hidden = plot === null;
    if (plot !== null) {
      const { style } = this.all;
      [style.left, style.top, style.width, style.height] = [plot.x, plot.y, plot.width, plot.height].map(
        (side) => `${side}px`,
      ) as [string, string, string, string];
    }
    this.moveCursor();
    this.moveRuler(ruler.peek());
  }

  private pointed(event: PointerEvent): void {
    if (this.plot === null) return;
    const { x, y, width, height } = this.plot;
    const box = this.holder.getBoundingClientRect();
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    const isInside = left >= x && left <= x + width && top >= y && top <= y + height;
    const precision = Math.max((this.window[1] - this.window[0]) / Math.max(width, 1), 1);
    point(isInside ? { at: valueAt(this.window, x, width, left), precision } : null);
  }

  /** Where a moment lies, in pixels of the plot; null if it is out of sight. */
  private pixel(at: number): number | null {
    const share = (at - this.window[0]) / (this.window[1] - this.window[0]);
    return this.plot === null || share < 0 || share > 1 ? null : share * this.plot.width;
  }

  moveCursor(): void {
    const { line } = this;
    const x = cursor === null ? null : this.pixel(cursor.at);
    line.hidden = x === null;
    if (x === null || cursor === null) return;
    line.style.transform = `translateX(${Math.round(x)}px)`;
    if (!this.isStrip) return;
    line.dataset.says = formatTime(cursor.at, cursor.precision);
    line.classList.toggle("late", x > (this.plot?.width ?? 0) / 2);
  }

  private moveRuler(now: Ruler | null): void {
    const { plot, window } = this;
    const isInSight = now !== null && plot !== null && now.to >= window[0] && now.from <= window[1];
    this.stretch.hidden = !isInSight;
    this.label.hidden = !isInSight || this.isStrip;
    if (!isInSight) return;
    const [from, to] = [this.pixel(now.from), this.pixel(now.to)];
    const [left, right] = [Math.round(from ?? 0), Math.round(to ?? plot.width)];
    const { style, classList } = this.stretch;
    [style.transform, style.width] = [`translateX(${left}px)`, `${Math.max(right - left, 1)}px`];
    // An end out of sight has no line; one where a call begins or ends has a thick one.
    classList.toggle("open-left", from === null);
    classList.toggle("open-right", to === null);
    classList.toggle("edge-left", now.onEdge[0]);
    classList.toggle("edge-right", now.onEdge[1]);
    this.length.textContent = rulerWords(now);
    // The label stands about the middle and never leaves the plot: what is free is shared between its two sides.
    const middle = (left + right) / 2 / Math.max(plot.width, 1);
    this.label.style.setProperty("--before", String(middle));
    this.label.style.setProperty("--after", String(1 - middle));
  }

  dispose(): void {
    this.end();
  }
}
