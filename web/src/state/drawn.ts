/** What the panes of the page last drew. */
import { computed, signal } from "@preact/signals";

/** What a pane last drew, for the status line. */
export interface PaneStatus {
  view: string;
  notes: string[];
  ms: number;
  bytes: number;
  /** The function names of the scene and what it says of them. */
  legend?: { name: string; value: string }[];
  /** Calls at the fullest pixel, and what one of them blends in. */
  density?: { most: number; alpha: number };
  /** What its colours mean: css colours from the lower end to the upper one, and the words there. */
  bar?: { title: string; colours: string[]; ends: [string, string] };
  /** x, y, width, height of its plot in CSS pixels of the pane, for what lies over it (the brush on the strip). */
  plot?: [number, number, number, number];
}
/** By pane id. Replace the map, do not change it. */
export const drawn = signal<Map<string, PaneStatus>>(new Map());

/** Whether a pane of the page shows calls; and whether one shows them closer. */
export const showsCalls = computed(() => [...drawn.value.values()].some(({ view }) => view.startsWith("calls")));
export const hasCloser = computed(() => [...drawn.value.values()].some(({ view }) => view.startsWith("calls-")));

/** Whether a drag on calls brushes a rectangle rather than moves the picture. No link should carry it. */
export const brushTool = signal(false);
