/** The trace on the page and what follows from it alone. `session.ts` loads it. */
import { computed, signal } from "@preact/signals";
import type { TraceInfo } from "../api/types";

export const trace = signal<TraceInfo | null>(null);

/** Rows of the filtered list, as the last scene of rows said; null until one said so. Columns likewise. */
export const allRows = signal<number | null>(null);
export const allColumns = signal<number | null>(null);

/** Steps of logical time, as the server last said; null while they are not known. */
export const allSteps = signal<number | null>(null);

/** [0, end] of the run, in nanoseconds. */
export const wholeTime = computed<[number, number]>(() => [0, Math.max(Number(trace.value?.end_ns ?? 0), 1)]);

const idsByName = computed(() => new Map((trace.value?.regions ?? []).map((region) => [region.name, region.id])));
const regionsById = computed(() => new Map((trace.value?.regions ?? []).map((region) => [region.id, region])));

/** The ids of named regions; names that this trace does not have are left out. */
export function regionIds(names: string[]): number[] {
  return names.flatMap((name) => idsByName.value.get(name) ?? []);
}

export function regionOf(id: number) {
  return regionsById.value.get(id);
}

/** To be told by whoever draws a scene of rows of the current filter, or of columns. */
export function saw(what: "rows" | "columns", total: number): void {
  const all = what === "rows" ? allRows : allColumns;
  if (Number.isFinite(total) && total > 0) all.value = total;
}

/** How many rows there are, of main locations only or of all; under a filter only a scene knows. */
export function rowsOf(main: boolean): number {
  const info = trace.value;
  return Math.max((main ? (info?.rows_main ?? info?.rows) : info?.rows) ?? 1, 1);
}
