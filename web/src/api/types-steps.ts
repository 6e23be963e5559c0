/** What the server says about logical time: steps, phases, clusters, and where a lateness arose. */
import type { Ns, Piece, Target } from "./types";

/** The hierarchy of clusters. Nodes are numbered: leaves first, then joints from the nearest pair to the root. */
export interface ClustersAbout {
  /** The phase that they are of; null for the run or a window of steps. */
  phase: number | null;
  is_run: boolean;
  /** Half open. */
  steps: [number, number];
  ranks: number;
  /** How they communicate, and what there is to know of it; missing if that has no name. */
  pattern?: [name: string, facts: string];
  leaves: number;
  /** The two children of each joint. */
  joints: [number, number][];
  /** How many ranks each node has. */
  sizes: number[];
  /** Joints that are open until somebody opens or closes one. */
  usual: number[];
}

export interface LogicalAbout {
  steps: number;
  phases: number;
  events: string;
  rows: number;
  /** What a person should know about the result. */
  hints: string[];
  /** By the name of a metric, of the one that was asked for at least: with aggregates, and of events alone. */
  largest: Record<string, string>;
  largest_of_events: Record<string, string>;
  /** The same of sums per step. */
  largest_sum: Record<string, string>;
  largest_sum_of_events: Record<string, string>;
  /** The step with the largest value, where one looks first. */
  latest_step?: number;
  metrics: MetricName[];
}

export interface MetricName {
  name: string;
  title: string;
  /** "ns" for times. */
  unit: string;
}

export interface Phase {
  phase: number;
  first_step: number;
  last_step: number;
  ranks: number;
  events: string;
  max_lateness_ns: string;
  total_lateness_ns: string;
  start_ns: Ns;
  end_ns: Ns;
  /** Whether collectives of it were taken apart. */
  is_split: boolean;
}

export interface Phases {
  total: number;
  phases: Phase[];
}

/** The largest value of the metric in a window; null if there is none. */
export interface Largest {
  largest: number | null;
}

/** A window of time and the steps in it. */
export interface StepsTime {
  time: [Ns, Ns];
  steps: [number, number];
}

/** An event on the path of a cause. */
export interface CauseEvent extends Target {
  step: number;
  lateness_ns?: string;
}

/** Where a lateness arose; without an origin, why there is none. */
export interface Cause {
  text: Piece[];
  origin?: CauseEvent;
  path?: CauseEvent[];
  ranks?: number;
  steps?: number;
  messages?: number;
  first_step?: number;
  last_step?: number;
}
