/**
 * A place: everything that says which picture is on the page, and its text in the address.
 *
 * The text is versioned (`#v=1&...`), because links outlive the program that wrote them. Reading never fails: a value that
 * is broken is left out, the rest is kept. All of it is pure, so that it is tested without a browser.
 */
import { kindOf, readSelection, type Selection } from "../api/selection";
import { modernised } from "./old-links";
import { decodeOptions, encodeOptions, OPTION_NAMES, type Options } from "./options";

/** A window of the place; null is everything. */
export type PlaceWindow = [number, number] | null;

export interface Place {
  trace: string;
  /** The name of a ready-made layout, or the text of one's own (see `dock-tree.ts`); "" until the page has chosen one. */
  layout: string;
  /** Nanoseconds. */
  time: PlaceWindow;
  /** Step s lies from s to s + 1. */
  steps: PlaceWindow;
  /** Half open, as columns are. */
  rows: PlaceWindow;
  columns: PlaceWindow;
  /** On a plane, to the right and downwards, in the units of its axes. Both directions have one scale. */
  across: PlaceWindow;
  down: PlaceWindow;
  /** The shorter window of time of closer panes; null lets the page choose one. */
  closer: PlaceWindow;
  /** The filter of ranks, "0-15,100,200-"; "" is all. */
  ranks: string;
  /** Names of regions: ids change with the store, names do not. */
  highlight: string[];
  hidden: string[];
  selected: Selection | null;
  /** The rectangle that the selected call was chosen from; see `rectangle.ts`. */
  within: Selection | null;
  /** Those that are not as usual. */
  options: Options;
  /** The stop of the tour whose words stand beside the picture, from 1; null while the tour is closed. */
  stop: number | null;
  /** The note whose words stand beside the picture, by its id; null while notes are not played. */
  note: string | null;
}

export const NOWHERE: Place = {
  trace: "",
  layout: "",
  time: null,
  steps: null,
  rows: null,
  columns: null,
  across: null,
  down: null,
  closer: null,
  ranks: "",
  highlight: [],
  hidden: [],
  selected: null,
  within: null,
  options: {},
  stop: null,
  note: null,
};

/** What a link without a layout shows if it says anything else: such links are older than the other layouts. */
export const PLAIN_LAYOUT = "overview";

const VERSION = "1";
/** Below this nothing more can be seen: clocks tick in nanoseconds. */
export const SHORTEST_WINDOW = 10;
/** Fewer than a step cannot be told apart from it. */
const LEAST_STEPS = 1;
/** On a plane: about two nodes beside each other. */
export const LEAST_PLACES = 2000;
/** Parts of a step that a link keeps. */
const PARTS = 1000;
const MOST_NAMES = 100;
const LONGEST_NAME = 1000;
/** Panes may have options of their own. */
const LONGEST_LAYOUT = 8000;

/** A window of at least `least` within 0..`end`, moved rather than cut when it hangs over. Whole numbers. */
export function clampWindow(window: [number, number], end: number, least: number): [number, number] {
  const limit = Math.max(end, least);
  const low = Math.min(window[0], window[1]);
  const high = Math.max(window[0], window[1]);
  const width = Math.min(Math.max(Math.round(high) - Math.round(low), least), limit);
  const from = Math.min(Math.max(Math.round(low), 0), limit - width);
  return [from, from + width];
}

/** A window within 0..`total` steps, moved rather than cut when it hangs over; null for all of them. */
export function clampSteps(steps: [number, number], total: number): PlaceWindow {
  const limit = Math.max(total, LEAST_STEPS);
  const low = Math.min(steps[0], steps[1]);
  const width = Math.min(Math.max(Math.abs(steps[1] - steps[0]), LEAST_STEPS), limit);
  const from = roundStep(Math.min(Math.max(low, 0), limit - width));
  const to = Math.min(roundStep(from + width), limit);
  if (from <= 0 && to >= limit) return null;
  return [Math.min(from, to - LEAST_STEPS), to];
}

function roundStep(step: number): number {
  return Math.round(step * PARTS) / PARTS;
}

/** How far the axes of a trace reach; null where that is not known yet. */
export interface Ends {
  time: number;
  rows: number;
  steps?: number | null;
  columns?: number | null;
  across?: number | null;
  down?: number | null;
}

/** The place with its windows inside the trace; a window that is everything becomes null. */
export function clampPlace(place: Place, ends: Ends): Place {
  const within = (window: PlaceWindow, end: number | null | undefined, least: number): PlaceWindow => {
    if (window === null || end === null || end === undefined) return window;
    const inside = clampWindow(window, end, least);
    return inside[0] <= 0 && inside[1] >= end ? null : inside;
  };
  const { steps, closer } = place;
  const total = ends.steps ?? null;
  return {
    ...place,
    time: within(place.time, ends.time, SHORTEST_WINDOW),
    rows: within(place.rows, ends.rows, 1),
    columns: within(place.columns, ends.columns, 1),
    across: within(place.across, ends.across, LEAST_PLACES),
    down: within(place.down, ends.down, LEAST_PLACES),
    // Closer panes may be told to show everything.
    closer: closer && clampWindow(closer, ends.time, SHORTEST_WINDOW),
    steps: steps && total !== null ? clampSteps(steps, total) : steps,
  };
}

/** Whether a selection is a single call, or what stands for one. */
export function isCall(selected: Selection | null): boolean {
  return ["span", "event", "message"].includes(kindOf(selected) ?? "");
}

/** Whether a selection is a brushed rectangle, of calls or of the timeline. */
export function isRectangle(selected: Selection | null): boolean {
  return ["window", "area"].includes(kindOf(selected) ?? "");
}

/** What is wrong with a filter of ranks, in words, or null. The server is the judge; this is the quick answer. */
export function ranksProblem(text: string): string | null {
  if (text.trim() === "") return null;
  for (const part of text.split(",")) {
    const match = /^\s*(\d{1,9})\s*(?:(-)\s*(\d{1,9})?\s*)?$/.exec(part);
    if (!match) return `“${part.trim().slice(0, 20)}” is neither a rank nor a range. Write, for example, 0-15,100,200-`;
    const [, from, , to] = match;
    if (to !== undefined && Number(to) < Number(from)) return `${from}-${to} runs backwards.`;
  }
  return null;
}

/** A filter as it goes into the address and to the server: without spaces. */
export function tidyRanks(text: string): string {
  return text.replace(/\s+/g, "");
}

const WINDOWS = ["time", "steps", "rows", "columns", "across", "down", "closer"] as const;

/** The fragment of a place, without "#". Defaults are left out, so that links stay short. */
export function encodePlace(place: Place): string {
  const rest: string[] = [];
  const add = (key: string, value: string) => rest.push(`${key}=${escapeValue(value)}`);
  for (const name of WINDOWS) {
    const window = place[name];
    if (window) add(name, window.join(":"));
  }
  if (place.ranks !== "") add("ranks", place.ranks);
  for (const name of place.highlight) add("highlight", name);
  for (const name of place.hidden) add("hide", name);
  if (place.selected) add("select", place.selected);
  if (place.within) add("chosen-from", place.within);
  encodeOptions(place.options, OPTION_NAMES, add);
  if (place.stop !== null) add("stop", String(place.stop));
  if (place.note !== null) add("note", place.note);
  const parts = [`v=${VERSION}`];
  if (place.trace !== "") parts.push(`trace=${escapeValue(place.trace)}`);
  // A fragment that says nothing else leaves the layout to the page.
  const isSaid = place.layout !== PLAIN_LAYOUT || rest.length === 0;
  if (place.layout !== "" && isSaid) parts.push(`layout=${escapeValue(place.layout)}`);
  return [...parts, ...rest].join("&");
}

/** The place that a fragment says, with or without "#". */
export function decodePlace(fragment: string): Place {
  const params = modernised(new URLSearchParams(fragment.replace(/^#/, "")));
  const trace = (params.get("trace") ?? "").slice(0, LONGEST_NAME);
  // In another version only the trace can be trusted to mean the same.
  if ((params.get("v") ?? VERSION) !== VERSION) return { ...NOWHERE, trace };
  const layout = params.get("layout") ?? "";
  const isBare = [...params.keys()].every((key) => key === "v" || key === "trace");
  const ranks = tidyRanks(params.get("ranks") ?? "");
  const stop = params.get("stop");
  const note = params.get("note");
  const selected = readSelection(params.get("select"));
  const within = readSelection(params.get("chosen-from"));
  return {
    trace,
    layout: layout !== "" && layout.length <= LONGEST_LAYOUT ? layout : isBare ? NOWHERE.layout : PLAIN_LAYOUT,
    time: readWindow(params.get("time"), SHORTEST_WINDOW),
    steps: readSteps(params.get("steps")),
    rows: readWindow(params.get("rows"), 1),
    columns: readWindow(params.get("columns"), 1),
    across: readWindow(params.get("across"), LEAST_PLACES),
    down: readWindow(params.get("down"), LEAST_PLACES),
    closer: readWindow(params.get("closer"), SHORTEST_WINDOW),
    ranks: ranksProblem(ranks) === null ? ranks : "",
    highlight: readNames(params.getAll("highlight")),
    hidden: readNames(params.getAll("hide")),
    selected,
    within: isCall(selected) && isRectangle(within) ? within : null,
    options: decodeOptions(params),
    stop: stop !== null && /^[1-9]\d?$/.test(stop) ? Number(stop) : null,
    note: note !== null && /^[a-z0-9]{1,32}$/.test(note) ? note : null,
  };
}

/** Splits the session's token from the fragment of the printed URL. */
export function takeToken(fragment: string): { token: string | null; rest: string } {
  const parts = fragment.replace(/^#/, "").split("&");
  const token = parts.find((part) => part.startsWith("token="))?.slice("token=".length) ?? null;
  return { token, rest: parts.filter((part) => part !== "" && !part.startsWith("token=")).join("&") };
}

/** The window that a text such as `5:100` says; null if it is none. */
export function readWindow(text: string | null, least: number): [number, number] | null {
  const match = /^(\d{1,15}):(\d{1,15})$/.exec(text ?? "");
  if (!match) return null;
  const [from, to] = [Number(match[1]), Number(match[2])];
  return to - from >= least ? [from, to] : null;
}

function readSteps(text: string | null): PlaceWindow {
  const match = /^(\d{1,10}(?:\.\d{1,6})?):(\d{1,10}(?:\.\d{1,6})?)$/.exec(text ?? "");
  if (!match) return null;
  const steps: [number, number] = [roundStep(Number(match[1])), roundStep(Number(match[2]))];
  return steps[1] - steps[0] >= LEAST_STEPS ? steps : null;
}

function readNames(names: string[]): string[] {
  const sound = names.filter((name) => name !== "" && name.length <= LONGEST_NAME);
  return [...new Set(sound)].slice(0, MOST_NAMES);
}

/** Percent-encoding that leaves what a fragment may hold, so that people can read a link. */
function escapeValue(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/%(?:2C|3A|3B|3D|40|2F)/g, decodeURIComponent);
}
