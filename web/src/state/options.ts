/**
 * The options of views and analyses, all in one way: what they are is generated from Rust (`api/options.ts`), the place
 * holds those that are not as usual, and this module reads, checks, writes and changes them. None is known here by name
 * but where one means nothing without another (`tied`).
 */
import { ANALYSES, OPTIONS, type OptionName, type OptionSpec, type OptionValues } from "../api/options";
import { kindOf, type Selection } from "../api/selection";

/** Options that are not as usual. */
export type Options = Readonly<Partial<OptionValues>>;

type Value = OptionValues[OptionName];

export const OPTION_NAMES = Object.keys(OPTIONS) as OptionName[];

/** An option as usual. The generated file vouches for its type. */
export function usual<N extends OptionName>(name: N): OptionValues[N] {
  return OPTIONS[name].usual as OptionValues[N];
}

/** The words that an option may be. */
export function wordsOf<N extends OptionName>(name: N): readonly OptionValues[N][] {
  const spec = OPTIONS[name];
  return (spec.kind === "word" ? spec.words : []) as readonly OptionValues[N][];
}

/** The greatest value that a range may reach: its open end. */
export function greatest(name: OptionName): number {
  const spec = OPTIONS[name];
  return spec.kind === "range" ? spec.most : Number.POSITIVE_INFINITY;
}

export function optionOf<N extends OptionName>(options: Options, name: N): OptionValues[N] {
  return options[name] ?? usual(name);
}

/** The options with a change; what is as usual again is left out. */
export function changed(options: Options, change: Options): Options {
  const next: Record<string, Value> = {};
  for (const name of OPTION_NAMES) {
    const value = name in change ? (change[name] ?? usual(name)) : optionOf(options, name);
    if (!isSame(value, usual(name))) next[name] = value;
  }
  return next as Options;
}

function isSame(a: Value, b: Value): boolean {
  return Array.isArray(a) && Array.isArray(b) ? a[0] === b[0] && a[1] === b[1] : a === b;
}

/** Values with a form of their own. Whether the trace has a counter of that name is the server's to say. */
const FORMS: Partial<Record<OptionName, RegExp>> = {
  y: /^(?:duration|bytes|rank|counter:.+)$/s,
  scope: /^(?:run|phase:\d{1,10}|steps:\d{1,10}:\d{1,10})$/,
  focus: /^(?:max|medoid|\d{1,9})$/,
  turn: /^-?\d{1,3}(?:\.\d{1,4})?:-?\d{1,2}(?:\.\d{1,4})?$/,
  aim: /^-?\d{1,5}(?:\.\d{1,4})?(?::-?\d{1,5}(?:\.\d{1,4})?){2}$/,
  within: /^\d{1,3},\d{1,9}$/,
  split: /^\d{1,3},\d{1,9}(?:;\d{1,3},\d{1,9})*$/,
  open: /^(?:none|\d{1,9}(?:,\d{1,9})*)$/,
};

/** The value of a text from a link; undefined where it is broken. */
export function readOption(name: OptionName, text: string): Value | undefined {
  const form = FORMS[name];
  if (form !== undefined && !form.test(text)) return undefined;
  return readAs(OPTIONS[name], text) as Value | undefined;
}

function readAs(spec: OptionSpec, text: string): unknown {
  switch (spec.kind) {
    case "switch":
      return text === "1" ? true : text === "0" ? false : undefined;
    case "word":
      return spec.words.find((word) => word === text);
    case "text":
      return text !== "" && text.length <= spec.longest ? text : undefined;
    case "id":
      return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
    case "number": {
      const number = readNumber(text);
      const isOne = number >= spec.least && number <= spec.most && (!spec.whole || Number.isInteger(number));
      return isOne ? number : undefined;
    }
    case "range":
      return readRange(spec, text);
  }
}

/** Either end may be open. Of whole numbers a range may be a single one. */
function readRange(
  { whole, least, most }: Extract<OptionSpec, { kind: "range" }>,
  text: string,
): [number, number] | undefined {
  const [low = "", high = "", ...rest] = text.split(":");
  if (rest.length > 0 || (low === "" && high === "")) return undefined;
  const [from, to] = [low === "" ? least : readNumber(low), high === "" ? most : readNumber(high)];
  const isInside = from >= least && to <= most && (whole ? from <= to : from < to);
  return isInside && (!whole || (Number.isInteger(from) && Number.isInteger(to))) ? [from, to] : undefined;
}

/** A number as the page writes it; not a number where it is none. */
function readNumber(text: string): number {
  return /^-?\d{1,19}(\.\d{1,25})?(e[+-]?\d{1,3})?$/.test(text) ? Number(text) + 0 : Number.NaN;
}

function write(value: Value): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  return Array.isArray(value) ? value.join(":") : String(value ?? "");
}

/** Adds the options among `names` that are not as usual, as links and questions both say them. */
export function encodeOptions(
  options: Options,
  names: readonly OptionName[],
  add: (name: OptionName, value: string) => void,
): void {
  for (const name of names) {
    const value = optionOf(options, name);
    if (!isSame(value, usual(name))) add(name, write(value));
  }
}

/** The options among `names` that are not as usual, as a question says them. */
export function paramsOf(options: Options, names: readonly OptionName[]): URLSearchParams {
  const params = new URLSearchParams();
  encodeOptions(options, names, (name, value) => params.set(name, value));
  return params;
}

/** The options that a link says; broken ones are left out. */
export function decodeOptions(params: URLSearchParams): Options {
  const said: Record<string, Value> = {};
  for (const name of OPTION_NAMES) {
    const value = params.has(name) ? readOption(name, params.get(name) ?? "") : undefined;
    if (value !== undefined) said[name] = value;
  }
  return changed({}, said as Options);
}

/** Options as an answer of the server says them; what is empty is as usual. */
export function readOptions(said: Record<string, string>): Options {
  const known = OPTION_NAMES.filter((name) => name in said);
  return Object.fromEntries(known.map((name) => [name, readOption(name, said[name] ?? "")])) as Options;
}

/**
 * Options that leave the kind of a result as it is, so that the last one stays until the next is there: a metric is made of
 * steps that are there, and lines of other weights or steps are lines of the same work.
 */
const ADDING: readonly OptionName[] = ["metric", "weights", "in-flight", "bound-workers", "time-steps"];

/** The options that decide what a result is, without those that only add to it. */
export function decidingOptions(analysis: keyof typeof ANALYSES): readonly OptionName[] {
  return ANALYSES[analysis].filter((name) => !ADDING.includes(name));
}

/**
 * A change of options with what it makes meaningless: colours of one metric end nowhere for another, steps by other
 * options have other phases and events, other clusters have other numbers, and a rectangle of durations is none of bytes.
 */
export function tied(
  options: Options,
  selected: Selection | null,
  change: Options,
): { options: Options; selected: Selection | null } {
  const isOther = (name: OptionName) => name in change && !isSame(change[name] ?? usual(name), optionOf(options, name));
  const areStepsOther = decidingOptions("logical").some(isOther);
  const areClustersOther = ANALYSES.clusters.some(isOther);
  const forgotten: Options = {
    ...(areStepsOther || isOther("metric") ? { range: null, sums: null } : {}),
    ...(areClustersOther ? { open: "" } : {}),
  };
  const kind = kindOf(selected);
  const isLost =
    (areStepsOther && (kind === "phase" || kind === "event")) ||
    (areClustersOther && kind === "cluster") ||
    (isOther("y") && kind === "window");
  return { options: changed(options, { ...forgotten, ...change }), selected: isLost ? null : selected };
}
