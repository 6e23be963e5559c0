/**
 * The windows of the page by name, so that whoever zooms and pans need not know which axis it is: time, steps, rows and
 * columns, a plane to the right and downwards, and the shorter window of closer panes.
 */
import { computed } from "@preact/signals";
import { closerWindow } from "./closer";
import { hasSteps } from "./dock";
import { go, place } from "./history";
import { allAcross, allColumns, allDown, allRows, allSteps, rowsOf, wholeTime } from "./trace";
import { specOf, type ViewKind } from "./views";

/** Windows of the place. */
export type WindowName = "time" | "steps" | "rows" | "columns" | "across" | "down" | "closer";

/** The window of time that all panes show, in nanoseconds. */
export const timeWindow = computed<[number, number]>(() => place.value.time ?? wholeTime.value);
const wholeSteps = computed<[number, number]>(() => [0, Math.max(allSteps.value ?? 1, 1)]);
export const stepWindow = computed<[number, number]>(() => place.value.steps ?? wholeSteps.value);
const wholeRows = computed<[number, number]>(() => [0, allRows.value ?? rowsOf(hasSteps.value)]);
/** The window of rows of the filtered list, half open. */
export const rowWindow = computed<[number, number]>(() => place.value.rows ?? wholeRows.value);
const wholeColumns = computed<[number, number]>(() => [0, Math.max(allColumns.value ?? 1, 1)]);
const columnWindow = computed<[number, number]>(() => place.value.columns ?? wholeColumns.value);
const wholeAcross = computed<[number, number]>(() => [0, Math.max(allAcross.value ?? 1, 1)]);
const acrossWindow = computed<[number, number]>(() => place.value.across ?? wholeAcross.value);
const wholeDown = computed<[number, number]>(() => [0, Math.max(allDown.value ?? 1, 1)]);
const downWindow = computed<[number, number]>(() => place.value.down ?? wholeDown.value);

const ALL = {
  time: { window: timeWindow, whole: wholeTime, isWhole: false },
  closer: { window: closerWindow, whole: wholeTime, isWhole: false },
  steps: { window: stepWindow, whole: wholeSteps, isWhole: false },
  rows: { window: rowWindow, whole: wholeRows, isWhole: true },
  columns: { window: columnWindow, whole: wholeColumns, isWhole: true },
  across: { window: acrossWindow, whole: wholeAcross, isWhole: false },
  down: { window: downWindow, whole: wholeDown, isWhole: false },
} as const satisfies Record<WindowName, object>;

/** What is shown along an axis. */
export function windowOf(name: WindowName): [number, number] {
  return ALL[name].window.value;
}

/** All that there is along it. */
export function wholeOf(name: WindowName): [number, number] {
  return ALL[name].whole.value;
}

/** Whether it runs over whole things, which are zoomed and panned one by one. */
export function isWhole(name: WindowName): boolean {
  return ALL[name].isWhole;
}

export function goWindow(name: WindowName, window: [number, number] | null, how: "push" | "live"): void {
  go({ [name]: window }, how);
}

/** The window of a view's horizontal axis; null where it has none to move. */
export function acrossOf(view: ViewKind): WindowName | null {
  const { x } = specOf(view);
  if (x === "values") return null;
  return x === "time" && view.source.closer ? "closer" : x;
}
