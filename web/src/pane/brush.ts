/** The arithmetic of the brush, apart from its elements, so that it is tested without a browser. */

export type Window = [number, number];
/** What a drag on the strip does, decided where it begins. */
export type Grip = "from" | "to" | "move" | "draw";

/** How near to an edge, in pixels, a hand means the edge. */
const EDGE = 6;

/** What a hand at `x` pixels takes hold of; `scale` is pixels per nanosecond, or per step. */
export function gripAt(x: number, window: Window, whole: Window, scale: number): Grip {
  const [left, right] = [(window[0] - whole[0]) * scale, (window[1] - whole[0]) * scale];
  // A narrow brush must still be movable: its edges take at most a third each.
  const edge = Math.min(EDGE, Math.max((right - left) / 3, 2));
  const [toLeft, toRight] = [Math.abs(x - left), Math.abs(x - right)];
  // Edges may be taken from outside as well; the whole run has none worth taking but can be drawn on.
  const everything = window[0] <= whole[0] && window[1] >= whole[1];
  if (everything) return "draw";
  const reachOut = (inside: boolean) => (inside ? edge : EDGE);
  if (toLeft <= reachOut(x > left) && toLeft <= toRight) return "from";
  if (toRight <= reachOut(x < right)) return "to";
  return x > left && x < right ? "move" : "draw";
}

/** The window after a drag from `start` to `now` (both nanoseconds, or steps). */
export function dragged(grip: Grip, window: Window, start: number, now: number, whole: Window): Window {
  const inside = (t: number) => Math.min(Math.max(t, whole[0]), whole[1]);
  const by = now - start;
  if (grip === "from") return [Math.min(inside(window[0] + by), window[1]), window[1]];
  if (grip === "to") return [window[0], Math.max(inside(window[1] + by), window[0])];
  if (grip === "move") return moved(window, by, whole);
  return [inside(Math.min(start, now)), inside(Math.max(start, now))];
}

/** The window moved, stopped at the ends with its width kept. */
export function moved(window: Window, by: number, whole: Window): Window {
  const stop = Math.min(Math.max(by, whole[0] - window[0]), whole[1] - window[1]);
  return [window[0] + stop, window[1] + stop];
}

/** Zooms about a moment, which keeps its place in the window. */
export function zoomed(window: Window, at: number, factor: number, whole: Window): Window {
  return [Math.max(at - (at - window[0]) * factor, whole[0]), Math.min(at + (window[1] - at) * factor, whole[1])];
}
