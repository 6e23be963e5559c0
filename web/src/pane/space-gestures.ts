/**
 * The pointer and the keys on a pane in space: turn, move, come closer, choose.
 *
 * A drag turns; with the right or the middle button it moves; with Shift it draws a rectangle. A drag is computed from where
 * it began, so that rounding never adds up.
 */
import type { Choosing } from "../api/client";
import type { Point, Rect } from "../scene/types";
import { wheelMove } from "./navigate";

/** A hand that moved by less has clicked. */
const CLICK = 4;
/** Degrees, or parts of the picture, of a key. */
const KEY = { turn: 24, move: 40, zoom: 1.25 } as const;

export interface SpaceHand {
  /** The pointer is there; null if it is elsewhere, or busy. */
  hover(at: Point | null): void;
  click(at: Point, how: Choosing): void;
  /** Begins a turn or a move: what follows is counted from here. */
  grab(): void;
  /** By so many pixels since then. */
  turn(by: Point): void;
  move(by: Point): void;
  /** What was grabbed is let go. */
  release(): void;
  /** Closer by a factor; null is the middle. */
  zoom(at: Point | null, factor: number): void;
  /** A rectangle that is being drawn; null when it is over. */
  draws(rect: Rect | null): void;
  choose(rect: Rect, how: Choosing): void;
  fit(): void;
}

interface Drag {
  pointer: number;
  start: Point;
  mode: "click" | "turn" | "move" | "box";
  next: "turn" | "move" | "box";
}

export function attachSpaceGestures(element: HTMLElement, hand: SpaceHand): () => void {
  let drag: Drag | null = null;
  const ended = new AbortController();
  const { signal } = ended;
  const place = (event: MouseEvent): Point => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const end = () => {
    const held = drag;
    drag = null;
    delete element.dataset.drag;
    hand.draws(null);
    if (held !== null && element.hasPointerCapture(held.pointer)) element.releasePointerCapture(held.pointer);
    if (held !== null && (held.mode === "turn" || held.mode === "move")) hand.release();
  };
  const on = <K extends keyof HTMLElementEventMap>(name: K, run: (event: HTMLElementEventMap[K]) => void) =>
    element.addEventListener(name, run, { signal, passive: false });

  on("wheel", (event) => {
    event.preventDefault();
    const move = wheelMove(event);
    if (move === null || drag !== null || move.kind === "pan") return;
    hand.zoom(place(event), 1 / move.factor);
  });
  on("contextmenu", (event) => event.preventDefault());
  on("pointerdown", (event) => {
    if (drag !== null || event.button > 2) return;
    element.setPointerCapture(event.pointerId);
    const next = event.button !== 0 ? "move" : event.shiftKey ? "box" : "turn";
    drag = { pointer: event.pointerId, start: place(event), mode: "click", next };
  });
  on("pointermove", (event) => {
    const at = place(event);
    if (drag === null) {
      hand.hover(at);
      return;
    }
    if (event.pointerId !== drag.pointer) return;
    const by = { x: at.x - drag.start.x, y: at.y - drag.start.y };
    if (drag.mode === "click") {
      if (Math.hypot(by.x, by.y) < CLICK) return;
      drag.mode = drag.next;
      element.dataset.drag = drag.mode === "box" ? "range" : "pan";
      hand.hover(null);
      if (drag.mode !== "box") hand.grab();
    }
    if (drag.mode === "turn") hand.turn(by);
    else if (drag.mode === "move") hand.move(by);
    else hand.draws(rectangle(drag.start, at));
  });
  on("pointerup", (event) => {
    if (drag === null || event.pointerId !== drag.pointer) return;
    const [{ mode, start, next }, at] = [drag, place(event)];
    end();
    if (mode === "click" && next !== "move") hand.click(at, choosing(event, "click"));
    else if (mode === "box") hand.choose(rectangle(start, at), choosing(event, "box"));
    hand.hover(at);
  });
  const cancel = (event: PointerEvent) => {
    if (drag !== null && event.pointerId === drag.pointer) end();
  };
  on("pointercancel", cancel);
  on("lostpointercapture", cancel);
  on("pointerleave", () => {
    if (drag === null) hand.hover(null);
  });
  on("dblclick", () => hand.fit());
  on("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && drag !== null) end();
    else if (!pressed(event, hand)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  return () => ended.abort();
}

const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** Whether a key means something here. */
function pressed(event: KeyboardEvent, hand: SpaceHand): boolean {
  const way = ARROWS[event.key];
  if (way !== undefined) {
    hand.grab();
    if (event.shiftKey) hand.move({ x: -way.x * KEY.move, y: -way.y * KEY.move });
    else hand.turn({ x: -way.x * KEY.turn, y: -way.y * KEY.turn });
    hand.release();
  } else if (event.key === "+" || event.key === "=") hand.zoom(null, KEY.zoom);
  else if (event.key === "-") hand.zoom(null, 1 / KEY.zoom);
  else if (event.key === "0" || event.key === "Home") hand.fit();
  else return false;
  return true;
}

/** Shift draws rectangles, so it adds only to clicks. */
function choosing({ ctrlKey, metaKey, altKey, shiftKey }: PointerEvent, what: "click" | "box"): Choosing {
  if (what === "box") return altKey ? "toggle" : ctrlKey || metaKey ? "add" : "replace";
  return ctrlKey || metaKey || altKey ? "toggle" : shiftKey ? "add" : "replace";
}

function rectangle(a: Point, b: Point): Rect {
  return { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
}
