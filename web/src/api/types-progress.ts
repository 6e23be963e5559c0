/** What the server says about how far nodes had come. */
import type { Selection } from "./selection";
import type { Piece } from "./types";

/** How far nodes had come; figures and words are a question of their own. */
export interface ProgressAbout {
  /** Time steps, and nodes with work. */
  steps: number;
  nodes: number;
}

/** What there is to say of a progression. Times are nanoseconds of the trace, shares go from 0 to 1. */
export interface ProgressTold {
  /** What counts as work: "tasks", "iterations", "steps", "calls of dgemm". */
  work: string;
  /** The first task's start and the last one's end. */
  span: [number, number];
  /** The instants: one more than there are steps. */
  times: number[];
  /** Number of the instant that is shown. */
  shown: number;
  /** How many nodes have work, and which have none, as ranges; "" if all have. */
  nodes: number;
  idle_nodes: string;
  tasks: number;
  /** In the order of their names. */
  kinds: WorkerKindTold[];
  /** Those that take most time first. */
  types: TaskTypeTold[];
  /** Share of the time of all declared workers in which they run no task. */
  idle: number;
  /** By instant. */
  instants: InstantTold[];
  bounds: BoundsTold;
  /** For the bandwidths that the slider offers: how many groups the shown instant has at each. */
  bandwidths: [bandwidth: number, groups: number][];
  /** The selected nodes as a whole; null if none are. */
  selected: { nodes: string; count: number; facts: [name: string, text: string][] } | null;
  /** What is worth saying, those that matter most first. */
  words: ProgressWords[];
  /** What was left out, or assumed. */
  notes: string[];
}

/** A kind of workers; its name is "" if it is not known. */
export interface WorkerKindTold {
  name: string;
  declared: number;
  /** How many ran a task. */
  observed: number;
  /** Share of the time of all declared ones in tasks. */
  busy: number;
}

export interface TaskTypeTold {
  region: number;
  name: string;
  tasks: number;
  /** Of the time of all declared workers. */
  share: number;
  /** Mean duration by kind of workers in nanoseconds; null where none ran. */
  means: (number | null)[];
  /** Tasks far longer than is usual for their type on their kind of worker. */
  outliers: number;
}

export interface InstantTold {
  /** Of the slowest node and of the fastest. */
  extent: [number, number];
  /** Of all nodes together. */
  pooled: number;
  /** From the slowest. */
  groups: GroupTold[];
}

/** Nodes that have come equally far at an instant. */
export interface GroupTold {
  /** As ranges: "1-6, 12". */
  nodes: string;
  count: number;
  mean: number;
  extent: [number, number];
  /** "#rrggbb" in the theme of the question. */
  colour: string;
  select: Selection;
}

/** Lower bounds of the run, in nanoseconds. */
export interface BoundsTold {
  area: number;
  by_steps: number;
  /** The longest chain of tasks that wait for each other; null where nobody knows. */
  chain: number | null;
  /** How many times as long the run took as the area bound. */
  ratio: number;
  /** Workers that the bound counts on, and that there are. */
  workers: [counted: number, all: number];
}

export interface ProgressWords {
  text: Piece[];
  /** Whether it tells of a loss: it is set off then. */
  is_loss: boolean;
  select: Selection | null;
  /** When that begins. */
  since: number | null;
}
