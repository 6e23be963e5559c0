/** What the options of views and analyses are. Generated from the Rust sources by `cargo xtask generate`; do not edit. */

/** The value of each option, by its name on the command line, in questions and in links. */
export interface OptionValues {
  /** What a call looks like. */
  style: "points-end" | "points-start" | "lines" | "arches";
  /** What its height means: duration, bytes, rank, or counter:NAME, a counter of the trace. */
  y: string;
  /** How heights are spaced. */
  scale: "log" | "linear";
  /** How calls per pixel become opacity. */
  opacity: "log" | "linear" | "alpha";
  /** Opacity of a single call. */
  omin: number;
  /** Only calls that last this long, in nanoseconds. */
  durations: readonly [number, number] | null;
  /** Only calls that send and receive this many bytes. */
  bytes: readonly [number, number] | null;
  /** Only calls in this communicator. */
  communicator: number | null;
  /** What is measured at each event. */
  metric: string;
  /** The values at the ends of the colours. */
  range: readonly [number, number] | null;
  /** Values as shares of the largest in their step. */
  relative: boolean;
  /** What lies between two events of a rank. */
  aggregates: boolean;
  /** Message lines and marks of collectives. */
  messages: boolean;
  /** What colours mean; "" is as usual for the view. */
  colour: "" | "function" | "metric" | "phase";
  /** The colours of a metric. */
  palette: "diverging" | "sequential";
  /** The cause of the selected event's lateness, drawn as a path. */
  cause: boolean;
  /** Events under one call of a function belong to one phase. */
  "common-caller": boolean;
  /** Sends up to the wait that completes them belong to one phase. */
  "wait-all": boolean;
  /** A run of non-blocking sends is one event. */
  "coalesce-isends": boolean;
  /** Join phases until each covers all ranks; for codes that work in rounds. */
  "leap-merge": boolean;
  /** With leap-merge: leave a leap that cannot be completed as it is. */
  "leap-skip": boolean;
  /** Messages match only if both ends say the same size. */
  "same-size": boolean;
  /** Join phases whose steps overlap. */
  "merge-overlapping": boolean;
  /** Do not join collectives with what comes before or after. */
  "collective-borders": boolean;
  /** Sends in columns of their own, or every event as early as possible. */
  stepping: "sends-first" | "earliest";
  /** Phases begin where this function is entered. */
  "phase-function": string;
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
  style: {
    kind: "word",
    words: ["points-end", "points-start", "lines", "arches"],
    usual: "points-end",
    flag: "--style",
    help: "What a call looks like",
  },
  y: {
    kind: "text",
    longest: 1000,
    usual: "duration",
    flag: "--y",
    help: "What its height means: duration, bytes, rank, or counter:NAME, a counter of the trace",
  },
  scale: { kind: "word", words: ["log", "linear"], usual: "log", flag: "--scale", help: "How heights are spaced" },
  opacity: {
    kind: "word",
    words: ["log", "linear", "alpha"],
    usual: "log",
    flag: "--opacity",
    help: "How calls per pixel become opacity",
  },
  omin: { kind: "number", least: 0, most: 1, usual: 0.4, flag: "--omin", help: "Opacity of a single call" },
  durations: {
    kind: "range",
    whole: true,
    least: 0,
    most: 9e15,
    usual: null,
    flag: "--durations",
    help: "Only calls that last this long, in nanoseconds",
  },
  bytes: {
    kind: "range",
    whole: true,
    least: 0,
    most: 9e15,
    usual: null,
    flag: "--bytes",
    help: "Only calls that send and receive this many bytes",
  },
  communicator: { kind: "id", usual: null, flag: "--communicator", help: "Only calls in this communicator" },
  metric: { kind: "text", longest: 1000, usual: "lateness", flag: "--metric", help: "What is measured at each event" },
  range: {
    kind: "range",
    whole: false,
    least: -1e18,
    most: 1e18,
    usual: null,
    flag: "--range",
    help: "The values at the ends of the colours",
  },
  relative: {
    kind: "switch",
    usual: false,
    flag: "--relative",
    help: "Values as shares of the largest in their step",
  },
  aggregates: {
    kind: "switch",
    usual: true,
    flag: "--no-aggregates",
    help: "What lies between two events of a rank: how late it was before the event",
  },
  messages: {
    kind: "switch",
    usual: true,
    flag: "--no-messages",
    help: "Message lines and marks of collectives, where there is room",
  },
  colour: {
    kind: "word",
    words: ["", "function", "metric", "phase"],
    usual: "",
    flag: "--colour",
    help: "What colours mean",
  },
  palette: {
    kind: "word",
    words: ["diverging", "sequential"],
    usual: "diverging",
    flag: "--palette",
    help: "Colours from blue over yellow to red, or of one hue",
  },
  cause: {
    kind: "switch",
    usual: true,
    flag: "--no-cause",
    help: "The cause of the selected event's lateness, drawn as a path",
  },
  "common-caller": {
    kind: "switch",
    usual: true,
    flag: "--no-common-caller",
    help: "Events under one call of a function belong to one phase",
  },
  "wait-all": {
    kind: "switch",
    usual: true,
    flag: "--no-wait-all",
    help: "Sends up to the wait that completes them belong to one phase",
  },
  "coalesce-isends": {
    kind: "switch",
    usual: true,
    flag: "--no-coalesce-isends",
    help: "A run of non-blocking sends is one event",
  },
  "leap-merge": {
    kind: "switch",
    usual: false,
    flag: "--leap-merge",
    help: "Join phases until each covers all ranks; for codes that work in rounds",
  },
  "leap-skip": {
    kind: "switch",
    usual: false,
    flag: "--leap-skip",
    help: "With leap-merge: leave a leap that cannot be completed as it is",
  },
  "same-size": {
    kind: "switch",
    usual: false,
    flag: "--same-size",
    help: "Messages match only if both ends say the same size",
  },
  "merge-overlapping": {
    kind: "switch",
    usual: false,
    flag: "--merge-overlapping",
    help: "Join phases whose steps overlap",
  },
  "collective-borders": {
    kind: "switch",
    usual: false,
    flag: "--collective-borders",
    help: "Do not join collectives with what comes before or after",
  },
  stepping: {
    kind: "word",
    words: ["sends-first", "earliest"],
    usual: "sends-first",
    flag: "--stepping",
    help: "Sends in columns of their own, or every event as early as possible",
  },
  "phase-function": {
    kind: "text",
    longest: 200,
    usual: "",
    flag: "--phase-function",
    help: "Phases begin where this function is entered",
  },
};

/** What each view of the server is. */
export interface ViewSpec {
  /** What its horizontal axis runs over. */
  x: "time" | "steps" | "columns" | "values";
  y: "rows" | "values";
  /** What it heeds. */
  options: readonly OptionName[];
  /** What it may need. */
  analyses: readonly AnalysisName[];
  about: string;
}

export const VIEWS: Readonly<Record<string, ViewSpec>> = {
  activity: {
    x: "time",
    y: "values",
    options: [],
    analyses: [],
    about: "How many ranks are in which communication function, stacked, over time.",
  },
  calls: {
    x: "time",
    y: "values",
    options: ["style", "y", "scale", "opacity", "omin", "durations", "bytes", "communicator"],
    analyses: [],
    about: "Every call against time, as high as its duration, stronger where there are many.",
  },
  logical: {
    x: "steps",
    y: "rows",
    options: ["metric", "range", "relative", "aggregates", "messages", "colour", "palette", "cause"],
    analyses: ["logical"],
    about: "Ranks over logical steps: equal boxes, coloured by how late each was.",
  },
  metric: {
    x: "steps",
    y: "values",
    options: ["metric", "range", "relative", "aggregates", "palette"],
    analyses: ["logical"],
    about: "The metric of all ranks, summed per step, over the whole run.",
  },
  timeline: {
    x: "time",
    y: "rows",
    options: ["metric", "range", "relative", "aggregates", "messages", "colour", "palette", "cause"],
    analyses: ["logical"],
    about: "What each rank does when; messages as lines once there is room.",
  },
};

/** What is computed on demand, and which options decide it. */
export type AnalysisName = "logical";
export const ANALYSES: { readonly [A in AnalysisName]: readonly OptionName[] } = {
  logical: [
    "common-caller",
    "wait-all",
    "coalesce-isends",
    "leap-merge",
    "leap-skip",
    "same-size",
    "merge-overlapping",
    "collective-borders",
    "stepping",
    "phase-function",
    "metric",
  ],
};

/** One text form of each kind of selection, for tests on both sides. */
export const SELECTIONS: readonly string[] = [
  "span:3:17",
  "event:9:26",
  "message:3:17:0",
  "phase:12",
  "ranks:0-3,7",
  "function:MPI_Send",
  "window:5:10",
  "window:5:10:1.5:2000",
];
