/**
 * The brushed rectangle: a selected window of time, with values a part of the call view.
 *
 * From its table one goes to single calls. The selection is then the call, but the rectangle one came from stays in sight
 * until it is cleared or something else is chosen; Escape and Back lead back to it.
 */
import { effect, signal } from "@preact/signals";
import { GREATEST, kindOf, parseSelection, type Selection } from "../api/selection";
import { go, place } from "./history";

export interface Rectangle {
  select: Selection;
  /** Nanoseconds across; what heights mean down. */
  time: [number, number];
  values: [number, number];
}

/** The rectangle that a selection is; one without values has all of them. */
export function rectangleOf(select: Selection | null): Rectangle | null {
  const selected = select === null ? null : parseSelection(select);
  if (select === null || selected?.kind !== "window") return null;
  return { select, time: selected.time, values: selected.values ?? [0, GREATEST] };
}

/** The rectangle in sight. */
export const rectangle = signal<Rectangle | null>(null);

/** Takes the rectangle away, and the selection with it if it is the rectangle. */
export function clearRectangle(): void {
  rectangle.value = null;
  if (kindOf(place.value.selected) === "window") go({ selected: null }, "push");
}

/** Where Escape leads from here: to the rectangle that one came from, or to no selection at all. */
export function selectionBefore(): Selection | null {
  const { selected } = place.value;
  return selected !== rectangle.value?.select ? (rectangle.value?.select ?? null) : null;
}

/** Of another trace, or by another meaning of heights, a rectangle means nothing. */
function ground(): string {
  const { trace, options } = place.value;
  return `${trace}\n${options.y ?? ""}`;
}

export function startRectangle(): void {
  let before = "";
  effect(() => {
    const { selected } = place.value;
    const isCall = ["span", "event", "message"].includes(kindOf(selected) ?? "");
    const isSameGround = before === ground();
    before = ground();
    const now = rectangleOf(selected);
    const kept = rectangle.peek();
    if (now !== null) {
      if (now.select !== kept?.select) rectangle.value = now;
    } else if (!isCall || !isSameGround) rectangle.value = null;
  });
}
