/**
 * A place: everything that says which picture is on the page, and its text in the address.
 *
 * The text is versioned (`#v=1&...`), because links outlive the program that wrote them. Reading never fails: a value that
 * is broken is left out, the rest is kept. All of it is pure, so that it is tested without a browser.
 */
import type { SpanName } from "../api/types";
import { type CallsPlace, decodeCalls, encodeCalls, USUAL_CALLS } from "./calls-place";
import { clampSteps, decodeLogical, encodeLogical, type LogicalPlace, USUAL_LOGICAL } from "./logical-place";

export interface Place {
  trace: string;
  /** The name of a ready-made layout, or the text of one's own (see `app/dock-tree.ts`); "" until the page has chosen one. */
  layout: string;
  /** Nanoseconds; null is the whole run. */
  time: [number, number] | null;
  /** Half open; null is all rows. */
  rows: [number, number] | null;
  /** The filter of ranks, "0-15,100,200-"; "" is all. */
  ranks: string;
  /** Names of regions: ids change with the store, names do not. */
  highlight: string[];
  hidden: string[];
  selected: SpanName | null;
  calls: CallsPlace;
  logical: LogicalPlace;
  /** The stop of the tour whose words stand beside the picture, from 1; null while the tour is closed. */
  stop: number | null;
}

export const NOWHERE: Place = {
  trace: "",
  layout: "",
  time: null,
  rows: null,
  ranks: "",
  highlight: [],
  hidden: [],
  selected: null,
  calls: USUAL_CALLS,
  logical: USUAL_LOGICAL,
  stop: null,
};

/** What a link without a layout shows if it says anything else: such links are older than the other layouts. */
export const PLAIN_LAYOUT = "overview";

const VERSION = "1";
/** Below this nothing more can be seen: clocks tick in nanoseconds. */
export const SHORTEST_WINDOW = 10;
const MOST_NAMES = 100;
const LONGEST_NAME = 1000;

/** A window of at least `least` within 0..`end`, moved rather than cut when it hangs over. Whole numbers. */
export function clampWindow(window: [number, number], end: number, least: number): [number, number] {
  const limit = Math.max(end, least);
  const low = Math.min(window[0], window[1]);
  const high = Math.max(window[0], window[1]);
  const width = Math.min(Math.max(Math.round(high) - Math.round(low), least), limit);
  const from = Math.min(Math.max(Math.round(low), 0), limit - width);
  return [from, from + width];
}

/** The place with its windows inside the trace; a window that is everything becomes null. Steps may not be known yet. */
export function clampPlace(place: Place, end: number, rows: number, steps: number | null = null): Place {
  const time = place.time && clampWindow(place.time, end, SHORTEST_WINDOW);
  const lines = place.rows && clampWindow(place.rows, rows, 1);
  const closer = place.calls.closer && clampWindow(place.calls.closer, end, SHORTEST_WINDOW);
  const { logical } = place;
  const window = logical.steps && steps !== null ? clampSteps(logical.steps, steps) : logical.steps;
  return {
    ...place,
    time: time && time[0] <= 0 && time[1] >= end ? null : time,
    rows: lines && lines[0] <= 0 && lines[1] >= rows ? null : lines,
    calls: { ...place.calls, closer },
    logical: { ...logical, steps: window },
  };
}

/** What is wrong with a filter of ranks, in words, or null. The server is the judge; this is the quick answer. */
export function ranksProblem(text: string): string | null {
  if (text.trim() === "") return null;
  for (const part of text.split(",")) {
    const match = /^\s*(\d{1,9})\s*(?:(-)\s*(\d{1,9})?\s*)?$/.exec(part);
    if (!match) return `“${part.trim().slice(0, 20)}” is neither a rank nor a range. Write for example 0-15,100,200-`;
    const [, from, , to] = match;
    if (to !== undefined && Number(to) < Number(from)) return `${from}-${to} runs backwards.`;
  }
  return null;
}

/** A filter as it goes into the address and to the server: without spaces. */
export function tidyRanks(text: string): string {
  return text.replace(/\s+/g, "");
}

/** The fragment of a place, without "#". Defaults are left out, so that links stay short. */
export function encodePlace(place: Place): string {
  const rest: string[] = [];
  const add = (key: string, value: string) => rest.push(`${key}=${escapeValue(value)}`);
  if (place.time) add("time", place.time.join(":"));
  if (place.rows) add("rows", place.rows.join(":"));
  if (place.ranks !== "") add("ranks", place.ranks);
  for (const name of place.highlight) add("highlight", name);
  for (const name of place.hidden) add("hide", name);
  if (place.selected) add("select", place.selected);
  encodeCalls(place.calls, add);
  encodeLogical(place.logical, add);
  if (place.stop !== null) add("stop", String(place.stop));
  const parts = [`v=${VERSION}`];
  if (place.trace !== "") parts.push(`trace=${escapeValue(place.trace)}`);
  // A fragment that says nothing else leaves the layout to the page.
  const isSaid = place.layout !== PLAIN_LAYOUT || rest.length === 0;
  if (place.layout !== "" && isSaid) parts.push(`layout=${escapeValue(place.layout)}`);
  return [...parts, ...rest].join("&");
}

/** The place that a fragment says, with or without "#". */
export function decodePlace(fragment: string): Place {
  const params = new URLSearchParams(fragment.replace(/^#/, ""));
  const trace = (params.get("trace") ?? "").slice(0, LONGEST_NAME);
  // In another version only the trace can be trusted to mean the same.
  if ((params.get("v") ?? VERSION) !== VERSION) return { ...NOWHERE, trace };
  const layout = params.get("layout") ?? "";
  const isBare = [...params.keys()].every((key) => key === "v" || key === "trace");
  const ranks = tidyRanks(params.get("ranks") ?? "");
  const selected = params.get("select");
  const stop = params.get("stop");
  return {
    trace,
    layout: layout !== "" && layout.length <= LONGEST_NAME ? layout : isBare ? NOWHERE.layout : PLAIN_LAYOUT,
    time: readWindow(params.get("time"), SHORTEST_WINDOW),
    rows: readWindow(params.get("rows"), 1),
    ranks: ranksProblem(ranks) === null ? ranks : "",
    highlight: readNames(params.getAll("highlight")),
    hidden: readNames(params.getAll("hide")),
    selected: selected !== null && /^\d{1,10}:\d{1,19}$/.test(selected) ? selected : null,
    calls: decodeCalls(params),
    logical: decodeLogical(params),
    stop: stop !== null && /^[1-9]\d?$/.test(stop) ? Number(stop) : null,
  };
}

/** Splits the session's token from the fragment of the printed URL. */
export function takeToken(fragment: string): { token: string | null; rest: string } {
  const parts = fragment.replace(/^#/, "").split("&");
  const token = parts.find((part) => part.startsWith("token="))?.slice("token=".length) ?? null;
  return { token, rest: parts.filter((part) => part !== "" && !part.startsWith("token=")).join("&") };
}

function readWindow(text: string | null, least: number): [number, number] | null {
  const match = /^(\d{1,15}):(\d{1,15})$/.exec(text ?? "");
  if (!match) return null;
  const [from, to] = [Number(match[1]), Number(match[2])];
  return to - from >= least ? [from, to] : null;
}

function readNames(names: string[]): string[] {
  const sound = names.filter((name) => name !== "" && name.length <= LONGEST_NAME);
  return [...new Set(sound)].slice(0, MOST_NAMES);
}

/** Percent-encoding that leaves what a fragment may hold, so that people can read a link. */
function escapeValue(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/%(?:2C|3A|3B|40|2F)/g, decodeURIComponent);
}
