/**
 * What the options of views and analyses are. Generated from the Rust sources; do not edit.
 *
 * `HEDDLE_BLESS=1 cargo test -p heddle-server page_types` writes it anew.
 */

/** The value of each option, by its name on the command line, in questions and in links. */
export interface OptionValues {
  /** What a call looks like. */
  style: "points-end" | "points-start" | "lines" | "arches";
  /** What its height means: duration, bytes, rank or counter:NAME. */
  y: string;
  /** How heights are spaced; auto is linear for arches, which would be distorted otherwise, and log for the other styles. Ranks are always spaced evenly. */
  scale: "auto" | "log" | "linear";
  /** How the number of calls per pixel becomes opacity: log, linear, or alpha: plain blending in 8 bits, of 0.1 per call or of X with alpha:X. */
  opacity: "log" | "linear" | "alpha";
  /** Opacity of a single call, 0 to 1. */
  omin: number;
  /** Only calls that last this long, for instance 10us:2ms or 1s:. */
  durations: readonly [number, number] | null;
  /** Only calls that send and receive this many bytes, for instance 1K:64K or 1M:. */
  bytes: readonly [number, number] | null;
  /** Only calls in this communicator, by its number. */
  communicator: number | null;
  /** What calls are coloured by; by default the function in timelines and the call view and the metric in logical time. Phase and metric are for timelines and logical time, caller, the function that a call was made from, is for the call view. */
  colour: "" | "function" | "metric" | "phase" | "caller";
  /** What colours mean: lateness, phase-lateness, differential, phase-differential, duration, enter, exit or counter:NAME. */
  metric: string;
  /** Values at the ends of the colour scale, for instance 0:4ms; plain numbers for counters. */
  range: readonly [number, number] | null;
  /** End the colour scale at the largest value of each step. */
  relative: boolean;
  /** Show, and sum, what lies between events. */
  aggregates: boolean;
  /** Colours of the metric. */
  palette: "diverging" | "sequential";
  /** Draw messages and collectives. */
  messages: boolean;
  /** Draw where the lateness of the selected event came from. */
  cause: boolean;
  /** Put consecutive events with the same caller into one phase; the outermost region never counts as a caller. */
  "common-caller": boolean;
  /** Put sends into one phase up to the call that waits for them. */
  "wait-all": boolean;
  /** Treat consecutive MPI_Isend calls as one event. */
  "coalesce-isends": boolean;
  /** Merge neighbouring phases until each covers all ranks, as far as possible. */
  "leap-merge": boolean;
  /** With --leap-merge: leave what cannot be completed as it is. */
  "leap-skip": boolean;
  /** Let only messages whose two ends name the same length join phases. */
  "same-size": boolean;
  /** Count phases whose steps overlap as one for phase lateness. */
  "merge-overlapping": boolean;
  /** Never join collectives with what stands around them. */
  "collective-borders": boolean;
  /** How steps are given: sends-first aligns sends and fits receives in, earliest takes every event as early as possible. */
  stepping: "sends-first" | "earliest";
  /** Begin a phase wherever this function is entered: the one with the shortest name that contains NAME. */
  "phase-function": string;
  /** What cells add up. */
  volume: "bytes" | "messages";
}
export type OptionName = keyof OptionValues;

/** How an option is written, checked and explained. */
export type OptionSpec =
  | { kind: "switch"; usual: boolean; flag: string; help: string }
  | { kind: "word"; words: readonly string[]; usual: string; flag: string; help: string }
  | { kind: "range"; whole: boolean; least: number; most: number; usual: null; flag: string; help: string }
  | { kind: "number"; least: number; most: number; usual: number; flag: string; help: string }
  | { kind: "id"; usual: null; flag: string; help: string }
  | { kind: "text"; longest: number; usual: string; flag: string; help: string };

export const OPTIONS: { readonly [N in OptionName]: OptionSpec } = {
  style: { kind: "word", words: ["points-end", "points-start", "lines", "arches"], usual: "points-end", flag: "--style", help: "What a call looks like" },
  y: { kind: "text", longest: 1000, usual: "duration", flag: "--y", help: "What its height means: duration, bytes, rank or counter:NAME" },
  scale: { kind: "word", words: ["auto", "log", "linear"], usual: "auto", flag: "--scale", help: "How heights are spaced; auto is linear for arches, which would be distorted otherwise, and log for the other styles. Ranks are always spaced evenly" },
  opacity: { kind: "word", words: ["log", "linear", "alpha"], usual: "log", flag: "--opacity", help: "How the number of calls per pixel becomes opacity: log, linear, or alpha: plain blending in 8 bits, of 0.1 per call or of X with alpha:X" },
  omin: { kind: "number", least: 0, most: 1, usual: 0.4, flag: "--omin", help: "Opacity of a single call, 0 to 1" },
  durations: { kind: "range", whole: true, least: 0, most: 9000000000000000, usual: null, flag: "--durations", help: "Only calls that last this long, for instance 10us:2ms or 1s:" },
  bytes: { kind: "range", whole: true, least: 0, most: 9000000000000000, usual: null, flag: "--bytes", help: "Only calls that send and receive this many bytes, for instance 1K:64K or 1M:" },
  communicator: { kind: "id", usual: null, flag: "--communicator", help: "Only calls in this communicator, by its number" },
  colour: { kind: "word", words: ["", "function", "metric", "phase", "caller"], usual: "", flag: "--colour", help: "What calls are coloured by; by default the function in timelines and the call view and the metric in logical time. Phase and metric are for timelines and logical time, caller, the function that a call was made from, is for the call view" },
  metric: { kind: "text", longest: 1000, usual: "lateness", flag: "--metric", help: "What colours mean: lateness, phase-lateness, differential, phase-differential, duration, enter, exit or counter:NAME" },
  range: { kind: "range", whole: false, least: -1000000000000000000, most: 1000000000000000000, usual: null, flag: "--range", help: "Values at the ends of the colour scale, for instance 0:4ms; plain numbers for counters" },
  relative: { kind: "switch", usual: false, flag: "--relative", help: "End the colour scale at the largest value of each step" },
  aggregates: { kind: "switch", usual: true, flag: "--no-aggregates", help: "Show, and sum, what lies between events" },
  palette: { kind: "word", words: ["diverging", "sequential"], usual: "diverging", flag: "--palette", help: "Colours of the metric" },
  messages: { kind: "switch", usual: true, flag: "--no-messages", help: "Draw messages and collectives" },
  cause: { kind: "switch", usual: true, flag: "--no-cause", help: "Draw where the lateness of the selected event came from" },
  "common-caller": { kind: "switch", usual: true, flag: "--no-common-caller", help: "Put consecutive events with the same caller into one phase; the outermost region never counts as a caller" },
  "wait-all": { kind: "switch", usual: true, flag: "--no-wait-all", help: "Put sends into one phase up to the call that waits for them" },
  "coalesce-isends": { kind: "switch", usual: true, flag: "--no-coalesce-isends", help: "Treat consecutive MPI_Isend calls as one event" },
  "leap-merge": { kind: "switch", usual: false, flag: "--leap-merge", help: "Merge neighbouring phases until each covers all ranks, as far as possible" },
  "leap-skip": { kind: "switch", usual: false, flag: "--leap-skip", help: "With --leap-merge: leave what cannot be completed as it is" },
  "same-size": { kind: "switch", usual: false, flag: "--same-size", help: "Let only messages whose two ends name the same length join phases" },
  "merge-overlapping": { kind: "switch", usual: false, flag: "--merge-overlapping", help: "Count phases whose steps overlap as one for phase lateness" },
  "collective-borders": { kind: "switch", usual: false, flag: "--collective-borders", help: "Never join collectives with what stands around them" },
  stepping: { kind: "word", words: ["sends-first", "earliest"], usual: "sends-first", flag: "--stepping", help: "How steps are given: sends-first aligns sends and fits receives in, earliest takes every event as early as possible" },
  "phase-function": { kind: "text", longest: 1000, usual: "", flag: "--phase-function", help: "Begin a phase wherever this function is entered: the one with the shortest name that contains NAME" },
  volume: { kind: "word", words: ["bytes", "messages"], usual: "bytes", flag: "--volume", help: "What cells add up" },
};

/** What is computed on demand. */
export type AnalysisName = "logical";

/** Which options decide the result of an analysis. */
export const ANALYSES: { readonly [A in AnalysisName]: readonly OptionName[] } = {
  logical: ["common-caller", "wait-all", "coalesce-isends", "leap-merge", "leap-skip", "same-size", "merge-overlapping", "collective-borders", "stepping", "phase-function", "metric"],
};

/** What a view of the server is. */
export interface ViewSpec {
  /** What its axes run over. */
  x: "time" | "steps" | "columns" | "values";
  y: "rows" | "values";
  /** What it heeds. */
  options: readonly OptionName[];
  /** What it may rest on. */
  analyses: readonly AnalysisName[];
  /** One sentence, without a full stop. */
  about: string;
}

export const VIEWS: Readonly<Record<string, ViewSpec>> = {
  activity: { x: "time", y: "values", options: [], analyses: [], about: "Share of the ranks in each function over time, stacked" },
  calls: { x: "time", y: "values", options: ["style", "y", "scale", "opacity", "omin", "durations", "bytes", "communicator", "colour"], analyses: [], about: "Every call by time and duration, whatever its rank" },
  logical: { x: "steps", y: "rows", options: ["metric", "range", "relative", "aggregates", "palette", "colour", "messages", "cause", "common-caller", "wait-all", "coalesce-isends", "leap-merge", "leap-skip", "same-size", "merge-overlapping", "collective-borders", "stepping", "phase-function"], analyses: ["logical"], about: "Ranks over logical steps, coloured by how late each event is" },
  matrix: { x: "columns", y: "rows", options: ["volume"], analyses: [], about: "Who sent how much to whom: senders by receivers" },
  metric: { x: "steps", y: "values", options: ["metric", "range", "relative", "aggregates", "palette", "common-caller", "wait-all", "coalesce-isends", "leap-merge", "leap-skip", "same-size", "merge-overlapping", "collective-borders", "stepping", "phase-function"], analyses: ["logical"], about: "A metric summed over the events of each logical step" },
  timeline: { x: "time", y: "rows", options: ["colour", "messages", "cause", "metric", "range", "relative", "aggregates", "palette", "common-caller", "wait-all", "coalesce-isends", "leap-merge", "leap-skip", "same-size", "merge-overlapping", "collective-borders", "stepping", "phase-function"], analyses: ["logical"], about: "Ranks over time, coloured by what they do" },
};

/** The text of each kind of selection, for tests on both sides. */
export const SELECTIONS: readonly string[] = ["span:3:17", "event:9:26", "message:3:17:0", "phase:12", "ranks:0-3,7", "function:MPI_Send", "window:5:10", "window:5:10:1.5:2000"];
