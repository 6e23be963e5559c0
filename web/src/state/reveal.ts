/**
 * Going somewhere without losing one's way: a window moves only if the target is outside, and keeps its zoom.
 */
import type { Target } from "../api/types";
import { go, place } from "./history";
import type { Place } from "./place";
import { allSteps, wholeTime } from "./trace";

/** With more steps than these in sight a step cannot be made out, so that one gets a closer look; and how close. */
const MANY_STEPS = 64;
const SOME_STEPS = 24;

/** The window moved so that the stretch is in sight, or the same window if it already is. */
export function reveal(window: [number, number], stretch: [number, number]): [number, number] {
  const width = window[1] - window[0];
  const inside = stretch[0] >= window[0] && stretch[1] <= window[1];
  const wider = stretch[1] - stretch[0] > width;
  const touches = stretch[1] > window[0] && stretch[0] < window[1];
  if (inside || (wider && touches)) return window;
  // Longer than the window: its beginning, a little off the edge. Else its middle in the middle.
  const from = wider ? stretch[0] - width / 10 : (stretch[0] + stretch[1] - width) / 2;
  return [from, from + width];
}

/** Selects something and brings it into view. */
export function goTo(target: Pick<Target, "select" | "start_ns" | "end_ns" | "row">): void {
  const { time, rows } = place.value;
  const start = Number(target.start_ns);
  const change: Parameters<typeof go>[0] = { selected: target.select };
  if (time) change.time = reveal(time, [start, Math.max(Number(target.end_ns), start + 1)]);
  if (rows && target.row !== null) change.rows = reveal(rows, [target.row, target.row + 1]);
  go(change, "push");
}

/** The window of time about a span, with a margin, for "fit". */
export function fitAround(start: number, end: number): [number, number] {
  const margin = Math.max((end - start) / 4, 10);
  return [Math.max(start - margin, 0), Math.min(end + margin, wholeTime.value[1])];
}

/** Brings steps into view, and a row if one is given; what else changes with them may be said. */
export function showSteps(
  steps: [number, number],
  row: number | null = null,
  change: Partial<Pick<Place, "selected">> = {},
): void {
  const { rows } = place.value;
  const now = place.value.steps ?? [0, Math.max(allSteps.value ?? 1, 1)];
  const length = Math.max(steps[1] - steps[0], SOME_STEPS);
  const middle = (steps[0] + steps[1]) / 2;
  const isFar = now[1] - now[0] > MANY_STEPS;
  const window = isFar ? ([middle - length / 2, middle + length / 2] as [number, number]) : reveal(now, steps);
  const revealed = rows && row !== null ? { rows: reveal(rows, [row, row + 1]) } : {};
  go({ ...change, ...revealed, steps: window }, "push");
}

/** The window of steps about some of them, half open, with a margin, so that their neighbours are seen. */
export function aroundSteps([from, to]: [number, number]): [number, number] {
  const margin = Math.max(Math.round((to - from) / 8), 1);
  return [from - margin, to + margin];
}

/** Everything in sight, along every axis. */
export function wholeRun(change: Partial<Pick<Place, "selected">> = {}): void {
  go({ ...change, time: null, rows: null, steps: null, columns: null, across: null, down: null }, "push");
}
