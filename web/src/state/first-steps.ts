/**
 * The steps that logical time begins with: as many as have room for boxes that can be read, around the latest event.
 *
 * A link says its windows, and a link that says none means all steps. So this concerns only somebody who comes to steps by
 * choosing a layout or a trace, or whom the page begins with them; once for each trace. All steps are a key away (`0`).
 */
import { signal } from "@preact/signals";
import { amend, go, place } from "./history";
import { logical } from "./logical";
import { trace as loaded } from "./trace";
import { showsSteps } from "./views";
import { rowWindow } from "./windows";

/** The trace that is to begin with some of its steps; null if none is. */
const awaited = signal<string | null>(null);
const begun = new Set<string>();

/** Room that a picture leaves around its rows and steps, in pixels; see `margins` of the server's frames. */
const BESIDE = 72;
const BELOW = 32;
/** A step with the aggregate before its event takes so many times the width of the event's box. */
const STEP_PER_BOX = 1.9;
/** Boxes are twice as wide as high. Lower rows than the first of these have no boxes; higher boxes only waste room. */
const SHAPE = 2;
const BOX_HEIGHT = { least: 3, most: 19 } as const;
/** Narrower steps have no room for messages between boxes. */
const LEAST_STEP = 22;

/** Shows a layout that somebody chose, or the trace that somebody opened. */
export function showLayout(layout: string): void {
  beginWithSteps(place.value.trace, layout);
  go({ layout }, "push");
}

/** Lets a trace begin with some of its steps, if the layout has any and it has not begun before. */
export function beginWithSteps(trace: string, layout: string): void {
  if (showsSteps(layout) && !begun.has(trace)) awaited.value = trace;
}

/** How many steps have room for boxes in a pane of this size; null if its rows are too low for boxes. */
export function stepsWithRoom(size: { width: number; height: number }, rows: number): number | null {
  const row = (size.height - BELOW) / Math.max(rows, 1);
  if (row < BOX_HEIGHT.least) return null;
  const height = Math.min(row > 12 ? row * 0.75 : row, BOX_HEIGHT.most);
  const step = Math.max(height * SHAPE * STEP_PER_BOX, LEAST_STEP);
  return Math.max(Math.floor((size.width - BESIDE) / step), 1);
}

/** So many steps of all, around one of them. */
export function stepsAround(latest: number, count: number, all: number): [number, number] {
  const from = Math.min(Math.max(Math.round(latest + 0.5 - count / 2), 0), Math.max(all - count, 0));
  return [from, Math.min(from + count, all)];
}

/** Before a pane of this size is first drawn: true if its window has changed, and it will be asked again. */
export function chooseSteps(size: { width: number; height: number }): boolean {
  const { trace, time, steps } = place.value;
  const known = logical.known.value;
  if (awaited.value !== trace || known === null) return false;
  awaited.value = null;
  begun.add(trace);
  // Where no row has steps, no window of them would show any.
  if (loaded.value?.logical === false) return false;
  // Somebody has moved meanwhile.
  if (time !== null || steps !== null) return false;
  const [from, to] = rowWindow.value;
  const count = stepsWithRoom(size, to - from);
  if (count === null || count >= known.steps) return false;
  amend({ steps: stepsAround(known.latest_step ?? 0, count, known.steps) });
  return true;
}
