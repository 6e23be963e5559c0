/** What a link says about logical time: which steps, by which metric, drawn how, and by which options steps are found. */

/** The options that decide phases and steps, named as on the command line. */
export interface LogicalOptions {
  commonCaller: boolean;
  waitAll: boolean;
  coalesceIsends: boolean;
  leapMerge: boolean;
  leapSkip: boolean;
  sameSize: boolean;
  mergeOverlapping: boolean;
  collectiveBorders: boolean;
  stepping: Stepping;
  /** Phases begin where this function is entered; "" finds them by the communication. */
  phaseFunction: string;
}

export const STEPPINGS = ["sends-first", "earliest"] as const;
export const COLOURS = ["function", "metric", "phase"] as const;
export const PALETTES = ["diverging", "sequential"] as const;
export type Stepping = (typeof STEPPINGS)[number];
export type Colour = (typeof COLOURS)[number];
export type PaletteName = (typeof PALETTES)[number];

export interface LogicalPlace {
  /** Step s lies from s to s + 1; null is all steps. */
  steps: [number, number] | null;
  /** The server's name of it. */
  metric: string;
  /** The values at the ends of the palette; null is from nothing to the largest. */
  range: [number, number] | null;
  /** Whether values are shares of each step's largest. */
  relative: boolean;
  aggregates: boolean;
  messages: boolean;
  /** What colours mean; null leaves it to the layout. */
  colour: Colour | null;
  palette: PaletteName;
  /** Whether the way of the selected event's lateness is drawn. */
  path: boolean;
  /** The phase that was chosen from the list. */
  phase: number | null;
  options: LogicalOptions;
}

export const USUAL_OPTIONS: LogicalOptions = {
  commonCaller: true,
  waitAll: true,
  coalesceIsends: true,
  leapMerge: false,
  leapSkip: false,
  sameSize: false,
  mergeOverlapping: false,
  collectiveBorders: false,
  stepping: "sends-first",
  phaseFunction: "",
};

export const USUAL_LOGICAL: LogicalPlace = {
  steps: null,
  metric: "lateness",
  range: null,
  relative: false,
  aggregates: true,
  messages: true,
  colour: null,
  palette: "diverging",
  path: false,
  phase: null,
  options: USUAL_OPTIONS,
};

type Switch = { [K in keyof LogicalOptions]: LogicalOptions[K] extends boolean ? K : never }[keyof LogicalOptions];

/** The switches among the options, by their names in links and questions. */
export const SWITCHES: { name: string; key: Switch }[] = [
  { name: "common-caller", key: "commonCaller" },
  { name: "wait-all", key: "waitAll" },
  { name: "coalesce-isends", key: "coalesceIsends" },
  { name: "leap-merge", key: "leapMerge" },
  { name: "leap-skip", key: "leapSkip" },
  { name: "same-size", key: "sameSize" },
  { name: "merge-overlapping", key: "mergeOverlapping" },
  { name: "collective-borders", key: "collectiveBorders" },
];

/** Fewer than a step cannot be told apart from it. */
export const LEAST_STEPS = 1;
const LONGEST_NAME = 1000;
/** Parts of a step that a link keeps. */
const PARTS = 1000;

/** Adds the options that are not as usual, as links and questions both say them. */
export function encodeOptions(options: LogicalOptions, add: (key: string, value: string) => void): void {
  for (const { name, key } of SWITCHES) if (options[key] !== USUAL_OPTIONS[key]) add(name, options[key] ? "1" : "0");
  if (options.stepping !== USUAL_OPTIONS.stepping) add("stepping", options.stepping);
  if (options.phaseFunction !== "") add("phase-function", options.phaseFunction);
}

/** Adds what is not as usual to the parts of a fragment. */
export function encodeLogical(logical: LogicalPlace, add: (key: string, value: string) => void): void {
  const { steps, metric, range, relative, aggregates, messages, colour, palette, path, phase, options } = logical;
  if (steps) add("steps", steps.join(":"));
  if (metric !== USUAL_LOGICAL.metric) add("metric", metric);
  if (range) add("range", range.join(":"));
  if (relative) add("relative", "1");
  if (!aggregates) add("aggregates", "0");
  if (!messages) add("messages", "0");
  if (colour !== null) add("colour", colour);
  if (palette !== USUAL_LOGICAL.palette) add("palette", palette);
  if (path) add("path", "1");
  if (phase !== null) add("phase", String(phase));
  encodeOptions(options, add);
}

export function decodeLogical(params: URLSearchParams): LogicalPlace {
  const word = <T extends string>(key: string, words: readonly T[]) => words.find((one) => one === params.get(key));
  const phase = params.get("phase") ?? "";
  const metric = params.get("metric") ?? "";
  return {
    steps: readSteps(params.get("steps")),
    metric: metric === "" || metric.length > LONGEST_NAME ? USUAL_LOGICAL.metric : metric,
    range: readRange(params.get("range")),
    relative: params.get("relative") === "1",
    aggregates: params.get("aggregates") !== "0",
    messages: params.get("messages") !== "0",
    colour: word("colour", COLOURS) ?? null,
    palette: word("palette", PALETTES) ?? USUAL_LOGICAL.palette,
    path: params.get("path") === "1",
    phase: /^\d{1,10}$/.test(phase) ? Number(phase) : null,
    options: readOptions(params),
  };
}

function readOptions(params: URLSearchParams): LogicalOptions {
  const options = { ...USUAL_OPTIONS };
  for (const { name, key } of SWITCHES) {
    const said = params.get(name);
    if (said === "0" || said === "1") options[key] = said === "1";
  }
  const called = params.get("phase-function") ?? "";
  options.stepping = STEPPINGS.find((one) => one === params.get("stepping")) ?? USUAL_OPTIONS.stepping;
  options.phaseFunction = called.length > LONGEST_NAME ? "" : called;
  return options;
}

function readSteps(text: string | null): [number, number] | null {
  const match = /^(\d{1,10}(?:\.\d{1,6})?):(\d{1,10}(?:\.\d{1,6})?)$/.exec(text ?? "");
  if (!match) return null;
  const steps: [number, number] = [roundStep(Number(match[1])), roundStep(Number(match[2]))];
  return steps[1] - steps[0] >= LEAST_STEPS ? steps : null;
}

function readRange(text: string | null): [number, number] | null {
  const [low = Number.NaN, high = Number.NaN, ...rest] = (text ?? "").split(":").map((part) => readNumber(part));
  return rest.length === 0 && low < high ? [low, high] : null;
}

/** A number as the page writes it; not a number where it is none, or beyond all reason. */
function readNumber(text: string): number {
  const value = /^-?\d{1,19}(\.\d{1,25})?(e[+-]?\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  return Math.abs(value) <= 1e18 ? value + 0 : Number.NaN;
}

function roundStep(step: number): number {
  return Math.round(step * PARTS) / PARTS;
}

/** A window within 0..`total` steps, moved rather than cut when it hangs over; null for all of them. */
export function clampSteps(steps: [number, number], total: number): [number, number] | null {
  const limit = Math.max(total, LEAST_STEPS);
  const low = Math.min(steps[0], steps[1]);
  const width = Math.min(Math.max(Math.abs(steps[1] - steps[0]), LEAST_STEPS), limit);
  const from = roundStep(Math.min(Math.max(low, 0), limit - width));
  const to = Math.min(roundStep(from + width), limit);
  if (from <= 0 && to >= limit) return null;
  return [Math.min(from, to - LEAST_STEPS), to];
}

/** Whether a layout has a pane of steps, by its name or its text. Such a layout shows main locations only. */
export function showsSteps(layout: string): boolean {
  return /(?<![a-z-])(?:logical|metric)(?![a-z0-9-])/.test(layout);
}
