/** Selecting, and going to what is selected, whatever its kind is. */
import { ApiError, ask } from "../api/client";
import type { Selection } from "../api/selection";
import type { Details } from "../api/types";
import { details, detailsQuestion } from "./details";
import { hasSteps } from "./dock";
import { drawn } from "./drawn";
import { go, place, traceId } from "./history";
import type { Place } from "./place";
import { rectangleOf, selectionBefore } from "./rectangle";
import { aroundSteps, fitAround, reveal, wholeRun } from "./reveal";
import { focusedPane, say } from "./ui";
import { viewKind } from "./views";
import { acrossIn, goWindow, isOfTime, rowWindow, type WindowName, withWindow } from "./windows";

/** The axis that keys move: that of the pane that was last used. Closer panes follow the others. */
export function focusedAxis(): WindowName {
  const pane = focusedPane.value ?? "";
  const view = viewKind(drawn.value.get(pane)?.view ?? "");
  const across = view === undefined ? null : acrossIn(pane, view);
  return across === null || across === "closer" ? "time" : across;
}

/** The window of time that keys move: that of the last pane, if it has one of its own. */
export function focusedTime(): WindowName {
  const axis = focusedAxis();
  return isOfTime(axis) ? axis : "time";
}

/** Shows everything: in a pane with a window of its own that alone. */
export function showAll(): void {
  const axis = focusedTime();
  if (axis === "time") wholeRun();
  else goWindow(axis, null, "push");
}

/** The windows about something: its steps where they are looked at, else its time. */
function windowsAbout({ steps, start_ns, end_ns }: Details, isInSteps: boolean): Partial<Place> {
  if (isInSteps && steps) return { steps: aroundSteps(steps) };
  if (start_ns === undefined || end_ns === undefined) return {};
  return withWindow(focusedTime(), fitAround(Number(start_ns), Number(end_ns)));
}

/** The windows about the selection; without one, the whole run. */
export function fitSelection(): void {
  const rectangle = rectangleOf(place.value.selected);
  const known = details.answer.value;
  if (rectangle !== null) goWindow(focusedTime(), rectangle.time, "push");
  else if (known === null) wholeRun();
  else {
    const windows = windowsAbout(known, focusedAxis() === "steps");
    const areRows = ["ranks", "messages", "calls"].includes(known.kind);
    const rows = areRows && known.rows ? { rows: known.rows } : {};
    const columns = known.columns ? { columns: known.columns } : {};
    const all = { ...windows, ...rows, ...columns };
    if (Object.keys(all).length === 0) say("The selection has no single place in time.");
    else go(all, "push");
  }
}

/** Clears the selection, step by step; without one, the highlight. */
export function clear(): void {
  if (place.value.selected !== null) go({ selected: selectionBefore() }, "push");
  else if (place.value.highlight.length > 0) go({ highlight: [] }, "push");
}

/** Selects something of which only the name is known, and goes to where the server says that it is. */
export async function showSelection(select: Selection): Promise<void> {
  try {
    const known = await ask(traceId.value, "details", detailsQuestion(select));
    const { steps, rows, start_ns, end_ns } = known;
    const change: Partial<Place> = { selected: select };
    if (hasSteps.value && steps) change.steps = aroundSteps(steps);
    else if (place.value.time && start_ns !== undefined && end_ns !== undefined)
      change.time = reveal(place.value.time, [Number(start_ns), Math.max(Number(end_ns), Number(start_ns) + 1)]);
    if (place.value.rows && rows && known.kind !== "phase") change.rows = reveal(rowWindow.value, rows);
    go(change, "push");
  } catch (error) {
    say(error instanceof ApiError ? error.message : "The server did not answer.");
  }
}
