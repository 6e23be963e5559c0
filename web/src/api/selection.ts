/**
 * What is selected: one text, the same in the address, in questions and in answers.
 *
 * Whoever passes a selection on passes its text; whoever must know what it is reads it here. Kinds that this page does not
 * know are no selection: a link of a newer Heddle then opens without one.
 */

/** The text of a selection, such as `span:3:17`. */
export type Selection = string;

/** A selection taken apart. Numbers that may pass 2^53 stay text. */
export type Selected =
  | { kind: "span"; location: string; ordinal: string }
  /** An event of logical time. */
  | { kind: "event"; rank: number; step: number }
  /** The `index`-th message that a call sends. */
  | { kind: "message"; location: string; ordinal: string; index: number }
  | { kind: "phase"; number: number }
  /** As a filter: "0-15,100". */
  | { kind: "ranks"; ranks: string }
  /** A cluster of ranks, by its number in the hierarchy that the options give. */
  | { kind: "cluster"; node: number }
  /** Nodes of a machine: boxes of coordinates, "*,*,5;0-3,2,1". */
  | { kind: "nodes"; nodes: string }
  /** A link of a machine by the coordinates of its ends. */
  | { kind: "link"; from: string; to: string }
  | { kind: "function"; name: string }
  /** A stretch of time in nanoseconds; with values, a rectangle of the call view. */
  | { kind: "window"; time: [number, number]; values: [number, number] | null }
  /** Ranks, as a filter, during a stretch of time: a rectangle of the timeline. */
  | { kind: "area"; time: [number, number]; ranks: string }
  /** Messages from some ranks to others, of one communicator, by its number, or of all. */
  | { kind: "messages"; from: string; to: string; communicator: number | null }
  /** Calls of a function on some ranks that take at least, and less than, so many nanoseconds. */
  | { kind: "calls"; lasting: [number, number]; ranks: string; name: string };

export type SelectedKind = Selected["kind"];

/** No moment and no value is greater: about a hundred days in nanoseconds, and exact in a number of the page. */
export const GREATEST = 9e15;
const LONGEST_TEXT = 8000;
const WHOLE = /^\d{1,16}$/;
/** Values of counters may have fractions. */
const FRACTION = /^\d{1,16}(?:\.\d{1,16})?(?:e-?\d{1,3})?$/;

/** Coordinates of a machine: places, stretches of them, or all. */
const NODES = /^(?:\*|\d{1,9}(?:-\d{1,9})?)(?:[,;](?:\*|\d{1,9}(?:-\d{1,9})?))*$/;
const LINK = /^(\d{1,9}(?:,\d{1,9}){0,7})>(\d{1,9}(?:,\d{1,9}){0,7})$/;

const RANKS = /^\d{1,9}(?:-\d{0,9})?(?:,\d{1,9}(?:-\d{0,9})?)*$/;

type Reader = (rest: string) => Selected | null;

const READERS: { readonly [K in SelectedKind]: Reader } = {
  span: (rest) => {
    const match = /^(\d{1,10}):(\d{1,19})$/.exec(rest);
    return match && { kind: "span", location: match[1] ?? "", ordinal: match[2] ?? "" };
  },
  event: (rest) => {
    const match = /^(\d{1,10}):(\d{1,10})$/.exec(rest);
    return match && { kind: "event", rank: Number(match[1]), step: Number(match[2]) };
  },
  message: (rest) => {
    const match = /^(\d{1,10}):(\d{1,19}):(\d{1,10})$/.exec(rest);
    return match && { kind: "message", location: match[1] ?? "", ordinal: match[2] ?? "", index: Number(match[3]) };
  },
  phase: (rest) => (/^\d{1,10}$/.test(rest) ? { kind: "phase", number: Number(rest) } : null),
  ranks: (rest) => (RANKS.test(rest) ? { kind: "ranks", ranks: rest } : null),
  cluster: (rest) => (/^\d{1,9}$/.test(rest) ? { kind: "cluster", node: Number(rest) } : null),
  nodes: (rest) => (NODES.test(rest) ? { kind: "nodes", nodes: rest } : null),
  link: (rest) => {
    const match = LINK.exec(rest);
    return match && { kind: "link", from: match[1] ?? "", to: match[2] ?? "" };
  },
  function: (rest) => (rest === "" ? null : { kind: "function", name: rest }),
  window: (rest) => {
    const parts = rest.split(":");
    if (parts.length !== 2 && parts.length !== 4) return null;
    const time = pair(parts.slice(0, 2), WHOLE);
    const values = parts.length === 4 ? pair(parts.slice(2), FRACTION) : null;
    return time === null || (parts.length === 4 && values === null) ? null : { kind: "window", time, values };
  },
  area: (rest) => {
    const [from = "", to = "", ranks = ""] = rest.split(":");
    const time = pair([from, to], WHOLE);
    const isSound = time !== null && RANKS.test(ranks) && rest === `${from}:${to}:${ranks}`;
    return isSound ? { kind: "area", time, ranks } : null;
  },
  messages: (rest) => {
    const [, from = "", to = "", number] = /^([^>:]*)>([^>:]*)(?::(\d{1,9}))?$/.exec(rest) ?? [];
    const communicator = number === undefined ? null : Number(number);
    return RANKS.test(from) && RANKS.test(to) ? { kind: "messages", from, to, communicator } : null;
  },
  calls: (rest) => {
    const [, least = "", below = "", ranks = "", name = ""] = /^(\d+):(\d+):([^:]*):(.+)$/s.exec(rest) ?? [];
    const lasting = pair([least, below], WHOLE);
    const isSound = lasting !== null && lasting[0] < lasting[1] && RANKS.test(ranks);
    return isSound ? { kind: "calls", lasting, ranks, name } : null;
  },
};

function pair(parts: string[], pattern: RegExp): [number, number] | null {
  const [from = Number.NaN, to = Number.NaN] = parts.map((part) => (pattern.test(part) ? Number(part) : Number.NaN));
  return from <= to && to <= GREATEST ? [from, to] : null;
}

/** What a text selects; null if it is broken or of an unknown kind. Links without the word for a span are older. */
export function parseSelection(text: string): Selected | null {
  if (text.length > LONGEST_TEXT) return null;
  if (/^\d+:\d+$/.test(text)) return READERS.span(text);
  const colon = text.indexOf(":");
  const kind = text.slice(0, Math.max(colon, 0));
  return Object.hasOwn(READERS, kind) ? READERS[kind as SelectedKind](text.slice(colon + 1)) : null;
}

export function formatSelection(selected: Selected): Selection {
  const { kind } = selected;
  switch (kind) {
    case "span":
      return `span:${selected.location}:${selected.ordinal}`;
    case "event":
      return `event:${selected.rank}:${selected.step}`;
    case "message":
      return `message:${selected.location}:${selected.ordinal}:${selected.index}`;
    case "phase":
      return `phase:${selected.number}`;
    case "ranks":
      return `ranks:${selected.ranks}`;
    case "cluster":
      return `cluster:${selected.node}`;
    case "nodes":
      return `nodes:${selected.nodes}`;
    case "link":
      return `link:${selected.from}>${selected.to}`;
    case "function":
      return `function:${selected.name}`;
    case "window":
      return `window:${[...selected.time, ...(selected.values ?? [])].join(":")}`;
    case "area":
      return `area:${selected.time.join(":")}:${selected.ranks}`;
    case "calls":
      return `calls:${selected.lasting.join(":")}:${selected.ranks}:${selected.name}`;
    case "messages":
      return `messages:${[`${selected.from}>${selected.to}`, selected.communicator ?? []].flat().join(":")}`;
  }
}

/** The selection that a text from outside names, in its one form; null if it names none. */
export function readSelection(text: string | null): Selection | null {
  const selected = text === null ? null : parseSelection(text);
  return selected && formatSelection(selected);
}

/** The kind of a selection; null for none, and for one of an unknown kind. */
export function kindOf(selection: Selection | null): SelectedKind | null {
  return selection === null ? null : (parseSelection(selection)?.kind ?? null);
}
