/**
 * The pointer on a pane: wheel, drag, range, rectangle, click, double-click, hover.
 *
 * Turns events of the browser into moves of windows and tells the pane; it knows neither scenes nor the state. A drag
 * is computed from where it began, not from the last event, so that rounding never adds up.
 */
import type { Range } from "../draw/view";
import type { Point, Rect } from "../scene/types";
import { panBy, panWhole, valueAt, wheelMove, wheelPixels, zoomAt, zoomWhole } from "./navigate";

/** A hand that moved by less has clicked. */
const CLICK = 4;
/** A wheel that rests for so long begins anew. */
const WHEEL_REST_MS = 300;

/** An axis that can be navigated. */
export interface Along {
  window: Range;
  /** Whether it runs over whole things: rows or columns. */
  isWhole: boolean;
}

/** What there is to navigate; `null` where an axis cannot be. */
export interface Ground {
  plot: Rect;
  across: Along | null;
  down: Along | null;
  /** Whether both directions have one scale, and are zoomed together. */
  isOneScale: boolean;
  /** What a drag with Shift does: a stretch of the horizontal axis to zoom to, or a rectangle to choose from. */
  shift: "range" | "choose";
  /** Whether the wheel scrolls a list. */
  scrolls: boolean;
  /** Whether rectangles can be brushed with Alt, or by any drag. */
  brush: "none" | "alt" | "always";
  /** Whether time can be measured with Ctrl, or by any drag. */
  measure: "none" | "ctrl" | "always";
}

export interface Windows {
  across?: [number, number];
  down?: [number, number];
}

export interface Hand {
  ground(): Ground | null;
  /** Points are in CSS pixels of the pane. `null`: the pointer is elsewhere, or busy. */
  hover(at: Point | null): void;
  /** `adds`: to what is selected. */
  click(at: Point, adds: boolean): void;
  navigate(windows: Windows, how: "push" | "live"): void;
  /** Scrolls a list by pixels, downwards. */
  scroll(pixels: number): void;
  /** Everything in sight. The two clicks of it have been told already. */
  fit(): void;
  /** A range of the axis that is being selected, in pixels of the pane; `null` when it is over. */
  select(range: Stretch | null): void;
  /** A rectangle that is being brushed, in pixels of the pane, within the plot; `null` when it is over. */
  brushes(rect: Rect | null): void;
  /** The rectangle is chosen. */
  brush(rect: Rect): void;
  /** Time between two points is being measured, or is once it is `done`; `null` when that was a mistake. */
  measure(stretch: { from: Point; to: Point } | null, done: boolean): void;
  /** All in the rectangle is to be selected, with what is selected already if it `adds`. */
  choose(rect: Rect, adds: boolean): void;
}

/** A range in pixels, and what it means. */
export interface Stretch {
  from: number;
  to: number;
  across: [number, number];
}

interface Drag {
  pointer: number;
  start: Point;
  ground: Ground;
  mode: "click" | Drawn;
  /** What it becomes once it is more than a click. */
  next: Drawn;
}

type Drawn = "pan" | "range" | "brush" | "choose" | "measure";

/** Listens to an element. Returns what ends it. */
export function attachGestures(element: HTMLElement, hand: Hand): () => void {
  const gestures = new Gestures(element, hand);
  const ended = new AbortController();
  const { signal } = ended;
  // Not passive: the wheel must not scroll or zoom the page.
  element.addEventListener("wheel", gestures.wheel, { passive: false, signal });
  element.addEventListener("pointerdown", gestures.down, { signal });
  element.addEventListener("pointermove", gestures.move, { signal });
  element.addEventListener("pointerup", gestures.up, { signal });
  element.addEventListener("pointercancel", gestures.cancel, { signal });
  element.addEventListener("lostpointercapture", gestures.cancel, { signal });
  element.addEventListener("pointerleave", gestures.leave, { signal });
  element.addEventListener("dblclick", gestures.fit, { signal });
  element.addEventListener("keydown", gestures.key, { signal });
  return () => ended.abort();
}

class Gestures {
  private drag: Drag | null = null;
  /** Parts of a whole row or column that the wheel has turned. */
  private turned = 1;
  private wheelAt = 0;

  constructor(
    private readonly element: HTMLElement,
    private readonly hand: Hand,
  ) {}

  readonly wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const move = wheelMove(event);
    const ground = this.hand.ground();
    if (ground?.scrolls && !event.ctrlKey && this.drag === null) {
      this.hand.scroll(wheelPixels(event));
      return;
    }
    if (move === null || ground === null || this.drag !== null) return;
    const { plot, across, down } = ground;
    const at = this.place(event);
    this.hand.hover(null);
    if (ground.isOneScale && across !== null && down !== null && move.kind !== "pan") {
      const next = {
        across: zoomAt(across.window, valueAt(across.window, plot.x, plot.width, at.x), move.factor),
        down: zoomAt(down.window, valueAt(down.window, plot.y, plot.height, at.y), move.factor),
      };
      this.hand.navigate(next, "live");
    } else if (move.kind === "zoom-down" && down !== null) {
      const next = this.zoomed(down, valueAt(down.window, plot.y, plot.height, at.y), move.factor, event.timeStamp);
      if (next !== null) this.hand.navigate({ down: next }, "live");
    } else if (across === null) {
      return;
    } else if (move.kind === "pan") {
      this.hand.navigate({ across: panned(across, -move.pixels, plot.width) }, "live");
    } else {
      const next = this.zoomed(across, valueAt(across.window, plot.x, plot.width, at.x), move.factor, event.timeStamp);
      if (next !== null) this.hand.navigate({ across: next }, "live");
    }
  };

  /** Rows are whole; the small steps of a trackpad are gathered until they make up one. */
  private zoomed({ window, isWhole }: Along, at: number, factor: number, now: number): [number, number] | null {
    if (!isWhole) return zoomAt(window, at, factor);
    const turnedBack = (this.turned - 1) * (factor - 1) < 0;
    if (now - this.wheelAt > WHEEL_REST_MS || turnedBack) this.turned = 1;
    this.wheelAt = now;
    this.turned *= factor;
    const next = zoomWhole(window, at, this.turned);
    if (next !== null) this.turned = 1;
    return next;
  }

  readonly down = (event: PointerEvent): void => {
    const ground = this.hand.ground();
    if (event.button !== 0 || this.drag !== null || ground === null) return;
    this.element.setPointerCapture(event.pointerId);
    const start = this.place(event);
    const brushes = ground.brush === "always" || (ground.brush === "alt" && event.altKey);
    const isCtrl = event.ctrlKey || event.metaKey;
    const measures = ground.measure === "always" || (ground.measure === "ctrl" && isCtrl);
    const next = event.shiftKey ? ground.shift : measures ? "measure" : brushes ? "brush" : "pan";
    this.drag = { pointer: event.pointerId, start, ground, mode: "click", next };
  };

  readonly move = (event: PointerEvent): void => {
    const { drag } = this;
    const at = this.place(event);
    if (drag === null) {
      this.hand.hover(at);
      return;
    }
    if (event.pointerId !== drag.pointer) return;
    if (drag.mode === "click") {
      if (Math.hypot(at.x - drag.start.x, at.y - drag.start.y) < CLICK) return;
      drag.mode = drag.next;
      this.element.dataset.drag = drag.mode;
      this.hand.hover(null);
    }
    if (drag.mode === "pan") this.pan(drag, at);
    else if (drag.mode === "measure") this.hand.measure({ from: drag.start, to: at }, false);
    else if (drag.mode === "brush" || drag.mode === "choose") this.hand.brushes(rectangle(drag, at));
    else this.hand.select(range(drag, at));
  };

  private pan({ start, ground }: Drag, at: Point): void {
    const { plot, across, down } = ground;
    const windows: Windows = {};
    if (across !== null) windows.across = panned(across, at.x - start.x, plot.width);
    if (down !== null) windows.down = panned(down, at.y - start.y, plot.height);
    this.hand.navigate(windows, "live");
  }

  readonly up = (event: PointerEvent): void => {
    const { drag } = this;
    if (drag === null || event.pointerId !== drag.pointer) return;
    const at = this.place(event);
    this.end();
    if (drag.mode === "click") {
      this.hand.click(at, event.ctrlKey || event.metaKey);
    } else if (drag.mode === "range") {
      const chosen = range(drag, at);
      if (chosen !== null && chosen.to - chosen.from >= CLICK) this.hand.navigate({ across: chosen.across }, "push");
    } else if (drag.mode === "brush") {
      const rect = rectangle(drag, at);
      if (rect.width >= CLICK && rect.height >= CLICK) this.hand.brush(rect);
    } else if (drag.mode === "choose") {
      this.hand.choose(rectangle(drag, at), event.ctrlKey || event.metaKey);
    } else if (drag.mode === "measure") {
      this.hand.measure({ from: drag.start, to: at }, true);
    }
    this.hand.hover(at);
  };

  readonly cancel = (event: PointerEvent): void => {
    if (this.drag !== null && event.pointerId === this.drag.pointer) this.end();
  };

  readonly leave = (): void => {
    if (this.drag === null) this.hand.hover(null);
  };

  readonly fit = (): void => {
    this.hand.fit();
  };

  /** Escape leaves a range that was begun by mistake; it must not clear the selection as well. */
  readonly key = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || this.drag === null) return;
    event.stopPropagation();
    if (this.drag.mode === "measure") this.hand.measure(null, true);
    this.end();
  };

  private end(): void {
    const { drag } = this;
    this.drag = null;
    delete this.element.dataset.drag;
    this.hand.select(null);
    this.hand.brushes(null);
    if (drag !== null && this.element.hasPointerCapture(drag.pointer)) this.element.releasePointerCapture(drag.pointer);
  }

  private place(event: MouseEvent): Point {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}

function panned({ window, isWhole }: Along, pixels: number, length: number): [number, number] {
  return isWhole ? panWhole(window, pixels, length) : panBy(window, pixels, length);
}

/** The rectangle between the beginning of a drag and a point, within the plot. */
function rectangle({ start, ground: { plot } }: Drag, at: Point): Rect {
  const along = (a: number, b: number, from: number, length: number) => {
    const within = (v: number) => Math.max(from, Math.min(v, from + length));
    return [within(Math.min(a, b)), within(Math.max(a, b))] as const;
  };
  const [left, right] = along(start.x, at.x, plot.x, plot.width);
  const [top, bottom] = along(start.y, at.y, plot.y, plot.height);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The range between the beginning of a drag and a point, within the plot. */
function range({ start, ground }: Drag, at: Point): Stretch | null {
  const { plot, across } = ground;
  if (across === null) return null;
  const within = (x: number) => Math.max(plot.x, Math.min(x, plot.x + plot.width));
  const from = within(Math.min(start.x, at.x));
  const to = within(Math.max(start.x, at.x));
  const value = (x: number) => valueAt(across.window, plot.x, plot.width, x);
  return { from, to, across: [value(from), value(to)] };
}
