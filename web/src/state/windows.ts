/**
 * The windows of the page by name, so that whoever zooms and pans need not know which axis it is: time, steps, rows and
 * columns, a plane to the right and downwards, the shorter window of closer panes, and those that panes have of their own.
 */
import { computed } from "@preact/signals";
import { closerWindow } from "./closer";
import { hasSteps } from "./dock";
import { go, place } from "./history";
import { ownWindows, withOwnWindow } from "./own-windows";
import type { Place } from "./place";
import { allAcross, allColumns, allDown, allRows, allSteps, rowsOf, wholeTime } from "./trace";
import { specOf, type ViewKind } from "./views";

/** Windows of the place; that of an unlinked pane by the pane's id. */
export type WindowName = SharedName | OwnName;
type SharedName = "time" | "steps" | "rows" | "columns" | "across" | "down" | "closer";
type OwnName = `own:${string}`;

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
} as const satisfies Record<SharedName, object>;

function isOwn(name: WindowName): name is OwnName {
  return name.startsWith("own:");
}

/** What is shown along an axis. */
export function windowOf(name: WindowName): [number, number] {
  if (!isOwn(name)) return ALL[name].window.value;
  return ownWindows.value.get(name.slice("own:".length)) ?? timeWindow.value;
}

/** All that there is along it. */
export function wholeOf(name: WindowName): [number, number] {
  return ALL[isOwn(name) ? "time" : name].whole.value;
}

/** Whether it runs over whole things, which are zoomed and panned one by one. */
export function isWhole(name: WindowName): boolean {
  return !isOwn(name) && ALL[name].isWhole;
}

/** Whether it is one of time. */
export function isOfTime(name: WindowName | null): boolean {
  return name !== null && (name === "time" || name === "closer" || isOwn(name));
}

/** The place with another window; null shows everything. */
export function withWindow(name: WindowName, window: [number, number] | null): Partial<Place> {
  return isOwn(name) ? withOwnWindow(name.slice("own:".length), window ?? wholeTime.value) : { [name]: window };
}

export function goWindow(name: WindowName, window: [number, number] | null, how: "push" | "live"): void {
  go(withWindow(name, window), how);
}

/** The window of a view's horizontal axis; null where it has none to move. */
export function acrossOf(view: ViewKind): WindowName | null {
  const { x } = specOf(view);
  if (x === "values") return null;
  return x === "time" && view.source.closer ? "closer" : x;
}

/** The same in a pane, which may be unlinked. */
export function acrossIn(pane: string, view: ViewKind): WindowName | null {
  const across = acrossOf(view);
  return across === "time" && ownWindows.value.has(pane) ? `own:${pane}` : across;
}

/** Whether panes of a view can have a window of time of their own. */
export function canUnlink(view: ViewKind): boolean {
  return acrossOf(view) === "time" && view.source.whole !== true;
}

/** Gives a pane a window of its own, for now the one that all share; or links it to that one again. */
export function toggleLinked(pane: string): void {
  go(withOwnWindow(pane, ownWindows.value.has(pane) ? null : timeWindow.value), "push");
}
