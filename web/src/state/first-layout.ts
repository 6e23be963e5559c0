/**
 * The layout of an address that names none: the first one that says that it suits the trace, else the plain one. Whatever
 * the page chose, the address says it from then on.
 */
import { computed, signal } from "@preact/signals";
import type { TraceInfo } from "../api/types";
import { formatCount } from "../base/format";
import { offeredLayouts } from "./dock";
import { beginWithSteps } from "./first-steps";
import { amend, place, traceId } from "./history";
import { PLAIN_LAYOUT } from "./place";
import { trace } from "./trace";
import type { Layout } from "./views";

const KEY = "heddle-first-layout";

/** The layout that the page chose; null if somebody did. */
export const firstChoice = signal<string | null>(null);
const dismissed = signal(wasDismissed());

export function firstLayout(info: TraceInfo, layouts: readonly Layout[]): string {
  return layouts.find(({ isFirst }) => isFirst?.(info) ?? false)?.name ?? PLAIN_LAYOUT;
}

/** An effect: chooses whenever a place has no layout. */
export function chooseLayout(): void {
  const info = trace.value;
  if (place.value.layout !== "" || info === null || traceId.value === "") return;
  const layout = firstLayout(info, offeredLayouts());
  firstChoice.value = layout;
  beginWithSteps(place.value.trace, layout);
  amend({ layout });
}

/** What to say about the choice; null where nobody needs to be told. */
export const firstLayoutWords = computed(() => {
  const info = trace.value;
  const isOurs = firstChoice.value !== null && firstChoice.value === place.value.layout;
  if (dismissed.value || !isOurs || info === null) return null;
  const intro =
    offeredLayouts()
      .find(({ name }) => name === firstChoice.value)
      ?.intro?.(info) ?? null;
  return intro && `${formatCount(info.ranks)} ranks: ${intro}`;
});

export function dismissFirstLayout(): void {
  dismissed.value = true;
  try {
    localStorage.setItem(KEY, "told");
  } catch {
    // A browser that keeps nothing is told again.
  }
}

function wasDismissed(): boolean {
  try {
    return localStorage.getItem(KEY) === "told";
  } catch {
    return false;
  }
}
