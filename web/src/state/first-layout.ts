/**
 * The layout of an address that names none: few processes are shown in logical time beside physical time, many in the
 * overview first. Whatever the page chose, the address says it from then on.
 */
import { computed, signal } from "@preact/signals";
import type { TraceInfo } from "../api/types";
import { formatCount } from "../base/format";
import { amend, place } from "./history";
import { PLAIN_LAYOUT } from "./place";
import { trace } from "./trace";

/** Up to so many rows can be told apart, message by message. */
export const FEW_RANKS = 64;
const KEY = "heddle-first-layout";

/** The layout that the page chose; null if somebody did. */
export const firstChoice = signal<string | null>(null);
const dismissed = signal(wasDismissed());

export function firstLayout(info: Pick<TraceInfo, "views" | "logical" | "ranks" | "rows_main">): string {
  const isFew = info.ranks > 1 && (info.rows_main ?? info.ranks) <= FEW_RANKS;
  return info.logical === true && isFew && info.views.includes("logical") ? "logical" : PLAIN_LAYOUT;
}

/** An effect: chooses whenever a place has no layout. */
export function chooseLayout(): void {
  const info = trace.value;
  if (place.value.layout !== "" || info === null || info.id !== place.value.trace) return;
  const layout = firstLayout(info);
  firstChoice.value = layout;
  amend({ layout });
}

/** What to say about the choice; null where nobody needs to be told. */
export const firstLayoutWords = computed(() => {
  const info = trace.value;
  const isOurs = firstChoice.value !== null && firstChoice.value === place.value.layout;
  if (dismissed.value || !isOurs || info === null || info.logical !== true) return null;
  const ranks = `${formatCount(info.ranks)} ranks`;
  return firstChoice.value === PLAIN_LAYOUT
    ? `${ranks}: the overview comes first. “Logical time” on top shows who was late, and why.`
    : `${ranks}: logical time comes first, beside physical time. “Overview” and the other layouts are on top.`;
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
