/** The trace on the page and what follows from it alone. `session.ts` loads it. */
import { computed, signal } from "@preact/signals";
import type { TraceInfo } from "../api/types";

export const trace = signal<TraceInfo | null>(null);

/** Rows of the filtered list, as the last scene of rows said; null until one said so. Columns likewise. */
export const allRows = signal<number | null>(null);
export const allColumns = signal<number | null>(null);
/** How far a plane reaches to the right and downwards, in the units of its axes. */
export const allAcross = signal<number | null>(null);
export const allDown = signal<number | null>(null);

/** Steps of logical time, as the server last said; null while they are not known. */
export const allSteps = signal<number | null>(null);

/** Whether anything happened in time; counters of a machine alone have none. */
export const hasTimes = computed(() => trace.value?.spans !== "0");

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

const ENDS = { rows: allRows, columns: allColumns, across: allAcross, down: allDown } as const;

/** To be told by whoever draws a scene: of rows or columns of the current filter, or of the current plane. */
export function saw(what: keyof typeof ENDS, total: number): void {
  if (Number.isFinite(total) && total > 0) ENDS[what].value = total;
}

/** How many rows there are, of main locations only or of all; under a filter only a scene knows. */
export function rowsOf(main: boolean): number {
  const info = trace.value;
  return Math.max((main ? (info?.rows_main ?? info?.rows) : info?.rows) ?? 1, 1);
}
