/**
 * The pointer and the keys on a pane in space: turn, move, come closer, choose, fly.
 *
 * A drag turns, or moves a plan that lies flat; with the right or the middle button it always moves; with Shift it draws a
 * rectangle. A drag is computed from where it began, so that rounding never adds up. Who flies looks around by a drag, and moves
 * by keys that are held.
 */
import type { Choosing } from "../api/client";
import type { Point, Rect } from "../scene/types";
import { wheelMove } from "./navigate";
import { fliesBy, HeldKeys } from "./space-fly";

/** A hand that moved by less has clicked. */
const CLICK = 4;
/** Degrees, or parts of the picture, of a key. */
const KEY = { turn: 24, move: 40, zoom: 1.25 } as const;

export interface SpaceHand {
  /** Whether the picture is a plan that lies flat: there is nothing to turn. */
  readonly isFlat: boolean;
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
  /** Whether keys fly. */
  readonly isFlying: boolean;
  setFlying(flies: boolean): void;
  /** Looks around by so many pixels more. */
  look(by: Point): void;
  /** With these keys held for so many seconds. */
  fly(held: ReadonlySet<string>, seconds: number): void;
  /** Opens what is there; where nothing can be opened, everything comes into view. */
  double(at: Point): void;
}

interface Drag {
  pointer: number;
  start: Point;
  /** Where it was last: who flies moves meanwhile. */
  last: Point;
  mode: "click" | "turn" | "move" | "box";
  next: "turn" | "move" | "box";
  /** Whether a hand that does not move clicks. */
  clicks: boolean;
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
    const clicks = event.button === 0;
    const next = !clicks ? "move" : event.shiftKey ? "box" : hand.isFlat ? "move" : "turn";
    drag = { pointer: event.pointerId, start: place(event), last: place(event), mode: "click", next, clicks };
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
    if (drag.mode === "turn" && hand.isFlying) {
      hand.look({ x: at.x - drag.last.x, y: at.y - drag.last.y });
      drag.last = at;
    } else if (drag.mode === "turn") hand.turn(by);
    else if (drag.mode === "move") hand.move(by);
    else hand.draws(rectangle(drag.start, at));
  });
  on("pointerup", (event) => {
    if (drag === null || event.pointerId !== drag.pointer) return;
    const [{ mode, start, clicks }, at] = [drag, place(event)];
    end();
    if (mode === "click" && clicks) hand.click(at, choosing(event, "click"));
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
  on("dblclick", (event) => hand.double(place(event)));
  const keys = new HeldKeys(
    (seconds) => hand.fly(keys.held, seconds),
    () => hand.release(),
  );
  on("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && drag !== null) end();
    else if (event.key.toLowerCase() === "f" || (event.key === "Escape" && hand.isFlying)) {
      keys.stop();
      hand.setFlying(!hand.isFlying);
    } else if (hand.isFlying && fliesBy(event.key)) {
      hand.grab();
      keys.down(event);
    } else if (!pressed(event, hand)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  on("keyup", (event) => keys.up(event));
  on("blur", () => keys.stop());
  return () => {
    keys.stop();
    ended.abort();
  };
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
    if (event.shiftKey || hand.isFlat) hand.move({ x: -way.x * KEY.move, y: -way.y * KEY.move });
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
