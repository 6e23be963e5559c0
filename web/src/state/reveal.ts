/**
 * Going to a span without losing one's way: the window moves only if the target is outside, and keeps its zoom.
 */
import type { Target } from "../api/types";
import { go, place } from "./history";
import { allRows, trace, wholeTime } from "./trace";

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

/** Selects a span and brings it into view. */
export function goTo(target: Pick<Target, "span" | "start_ns" | "end_ns" | "row">): void {
  const { time, rows } = place.value;
  const start = Number(target.start_ns);
  const change: Parameters<typeof go>[0] = { selected: target.span };
  if (time) change.time = reveal(time, [start, Math.max(Number(target.end_ns), start + 1)]);
  if (rows && target.row !== null) change.rows = reveal(rows, [target.row, target.row + 1]);
  go(change, "push");
}

/** The window of time about a span, with a margin, for "fit". */
export function fitAround(start: number, end: number): [number, number] {
  const margin = Math.max((end - start) / 4, 10);
  return [Math.max(start - margin, 0), Math.min(end + margin, wholeTime.value[1])];
}

/** Brings rows into view, keeping how many are shown. */
export function showRows(rows: [number, number]): void {
  const all = Math.max(allRows.value ?? trace.value?.rows ?? 1, 1);
  const window = place.value.rows ?? [0, all];
  go({ rows: reveal(window, rows) }, "push");
}
