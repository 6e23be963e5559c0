/**
 * The brushed rectangle: a selected window of time, with values a part of the call view, with ranks an area of the timeline.
 *
 * From its table one goes to single calls. The selection is then the call, but the place remembers the rectangle one came
 * from (`within`): it stays in sight until it is cleared or something else is chosen; Escape and Back lead back to it.
 */
import { computed } from "@preact/signals";
import { GREATEST, parseSelection, type Selection } from "../api/selection";
import { go, place } from "./history";
import { isRectangle } from "./place";

export interface Rectangle {
  select: Selection;
  /** Nanoseconds across; what heights mean down. */
  time: [number, number];
  values: [number, number];
  /** Whose, as a filter, if it is an area of the timeline. */
  ranks: string | null;
}

/** The rectangle that a selection is; one without values has all of them. */
export function rectangleOf(select: Selection | null): Rectangle | null {
  const selected = select === null ? null : parseSelection(select);
  if (select === null || selected === null) return null;
  if (selected.kind === "area") return { select, time: selected.time, values: [0, GREATEST], ranks: selected.ranks };
  if (selected.kind !== "window") return null;
  return { select, time: selected.time, values: selected.values ?? [0, GREATEST], ranks: null };
}

/** The rectangle in sight. */
export const rectangle = computed<Rectangle | null>(
  () => rectangleOf(place.value.selected) ?? rectangleOf(place.value.within),
);

/** Takes the rectangle away, and the selection with it if it is the rectangle. */
export function clearRectangle(): void {
  go(isRectangle(place.value.selected) ? { selected: null } : { within: null }, "push");
}

/** Where Escape leads from here: to the rectangle that one came from, or to no selection at all. */
export function selectionBefore(): Selection | null {
  return place.value.within;
}
