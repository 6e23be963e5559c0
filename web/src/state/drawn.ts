/** What the panes of the page last drew. */
import { signal } from "@preact/signals";

/** What a pane last drew, for the status line. */
export interface PaneStatus {
  view: string;
  notes: string[];
  ms: number;
  bytes: number;
  /** The names of the scene's colours, mostly functions, and what it says of them. */
  legend?: { name: string; value: string; colour: string }[];
  /** Calls at the fullest pixel, and what one of them blends in. */
  density?: { most: number; alpha: number };
  /** Whether it shows single rows rather than sums of them. */
  hasRows?: boolean;
  /** What its colours mean: css colours from the lower end to the upper one, and the words there. */
  bar?: { title: string; colours: string[]; ends: [string, string] };
  /** Whether there is nothing in the picture. */
  isEmpty?: boolean;
  /** Whether it is a picture in space, all of which lies on one plane. */
  isPlan?: boolean;
  /** x, y, width, height of its plot in CSS pixels of the pane, for what lies over it (the brush on the strip). */
  plot?: [number, number, number, number];
}
/** By pane id. Replace the map, do not change it. */
export const drawn = signal<Map<string, PaneStatus>>(new Map());
