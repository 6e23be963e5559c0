/** What the server says about what is wrong with a run. */
import type { Selection } from "./selection";
import type { Ns, Piece } from "./types";

/** Nothing stands out; much is lost, but nobody is to blame; somebody or something is; the trace does not tell. */
export type Verdict = "balanced" | "uneven" | "faulty" | "unknown";

/** What is wrong with a run, in words and figures. Shares go from 0 to 1 of the time of all ranks. */
export interface DiagnosisTold {
  verdict: Verdict;
  /** One sentence: the verdict in words. */
  headline: Piece[];
  /** The dearest first. */
  findings: FindingTold[];
  /** Where the time of all ranks goes. Shares add up to 1, and so do their texts. */
  split: SplitPart[];
  /** What is not useful of it. */
  lost: { share: number; text: string };
  /** What no finding explains; empty if nothing can be said of it. */
  remaining: Piece[];
  /** What was examined besides, and whether it is in order. */
  checks: { ok: boolean; text: string }[];
  /** What cannot be said, and why. */
  notes: string[];
  /** Those that make others wait most first, then those that take most time. */
  functions: FunctionTold[];
  /** The critical path: how often it moves to another rank, and where it spends the run. */
  path: { hops: number; parts: { label: string; share: number }[] };
  waits: { count: number; total_ns: Ns; explained: number };
  /** How long the run took, and how long the unchanged run takes when it is replayed. */
  replay: { length_ns: Ns; replayed_ns: Ns };
}

export interface SplitPart {
  kind: "useful" | "finding" | "chance" | "communication" | "other";
  /** The number of the finding, from 1. */
  finding: number | null;
  share: number;
  /** "18.8 %" */
  text: string;
}

/** Something that costs time: who, since when, how one knows, what to do. */
export interface FindingTold {
  /** From 1. */
  number: number;
  kind: string;
  title: string;
  /** For pictures. */
  label: string;
  where: string;
  /** The evidence in numbers. */
  text: Piece[];
  /** What the run would take without it. */
  without: Piece[];
  /** What to look at next. */
  advice: string;
  cost_share: number;
  cost_text: string;
  without_ns: Ns | null;
  /** As a filter: "96-103". */
  ranks: string | null;
  nodes: string[];
  function: number | null;
  function_name: string | null;
  since_ns: Ns;
  until_ns: Ns;
  is_throughout: boolean;
  /** The time that shows it. */
  window: [Ns, Ns];
  /** The call that shows it best, if one does. */
  select?: Selection;
}

/** A function by the time that it takes and by the waiting that it causes. */
export interface FunctionTold {
  region: number | null;
  name: string;
  time_share: number;
  cost_share: number;
  parts: { label: string; finding: number | null; cost_share: number }[];
}

/** How well the time of ranks is used: parallel = load balance x communication, and that = serialisation x transfer. */
export interface EfficiencyTold {
  /** The run; the window, if that is another; and the run until and since the onset of the first finding that has one. */
  columns: EfficiencyColumn[];
  cut_ns: Ns | null;
}

export interface EfficiencyColumn {
  name: "run" | "window" | "until" | "since";
  from_ns: Ns;
  to_ns: Ns;
  parallel: number;
  load_balance: number;
  communication: number;
  serialisation: number;
  transfer: number;
  /** Shares of the time of all ranks. */
  lost: { imbalance: number; serialisation: number; transfer: number };
}
