/**
 * Messages in motion: what links and nodes do over a window, and the ways of the messages in flight, with the readers of their
 * wire forms. As with scenes, every length and every reference is checked here, once.
 */
import { type Arrays, MOST, readArray, readColour, readHeader } from "./decode";
import { asCount, asFields, asList, asNumber, asNumberText, asText, SceneError } from "./fields";
import type { Rgba } from "./types";

const ACTIVITY = { magic: "HACT", version: 1 } as const;
const MOVING = { magic: "HMOV", version: 1 } as const;
const MOST_BINS = 1024;
const MOST_COLOURS = 256;
const MOST_NUMBER = Number.MAX_SAFE_INTEGER;

/** Values of many things, bin by bin. */
export interface Shares {
  count: number;
  /** By bin, then thing; 255 is the largest. */
  values: Uint8Array<ArrayBuffer>;
  /** What 255 is, in words. */
  largest: string;
  /** The largest sum over all bins, in the unit of the values, and in words. */
  sum: number;
  sumText: string;
}

/** Where links and nodes are on a plane, in the units of its axes. */
export interface PlaneMarks {
  linkId: Uint32Array<ArrayBuffer>;
  /** Both ends, four numbers each. */
  linkAt: Float32Array<ArrayBuffer>;
  nodeId: Uint32Array<ArrayBuffer>;
  nodeAt: Float32Array<ArrayBuffer>;
  /** The width of a link and the side of a node. */
  sizes: [number, number];
}

/** What goes on in a window of time. */
export interface Activity {
  window: [number, number];
  bins: number;
  /** What is left of the activity of a bin in the next one. */
  fade: number;
  messages: number;
  /** More in flight are not told apart. */
  mostInFlight: number;
  /** How many are in flight when each bin begins. */
  inFlight: Uint32Array<ArrayBuffer>;
  links: Shares;
  nodes: Shares;
  /** The fullest of each block that one solid stands for. */
  blocks: Shares;
  marks: PlaneMarks | null;
  notes: string[];
}

/** The messages in flight in a stretch of time. */
export interface Moving {
  from: number;
  /** All that are in flight before this are listed. */
  until: number;
  inFlight: number;
  /** Said instead of messages where there are too many. */
  note: string | null;
  /** The row of the selected message. */
  selected: number | null;
  /** Its way, in flight or not: the first point and how many. */
  selectedWay: [number, number];
  /** The radius of a dot. */
  dot: number;
  title: string;
  colours: Rgba[];
  ends: [string, string];
  count: number;
  row: Float64Array<ArrayBuffer>;
  /** Nanoseconds after `from`. */
  start: Float64Array<ArrayBuffer>;
  end: Float64Array<ArrayBuffer>;
  /** Place on the scale of colours. */
  share: Float32Array<ArrayBuffer>;
  first: Uint32Array<ArrayBuffer>;
  points: Uint32Array<ArrayBuffer>;
  /** x, y, z and share of its time, point by point; not a number at a break. */
  place: Float32Array<ArrayBuffer>;
}

export function decodeActivity(buffer: ArrayBuffer): Activity {
  const { header, start } = readHeader(buffer, ACTIVITY);
  const arrays: Arrays = { buffer, start };
  const bins = asCount(header.bins, "bins", MOST_BINS);
  if (bins === 0) throw new SceneError("there are no bins of time");
  const links = readShares(header.links, "links", bins, arrays);
  const nodes = readShares(header.nodes, "nodes", bins, arrays);
  return {
    window: [asNumberText(header.from, "from"), asNumberText(header.to, "to")],
    bins,
    fade: Math.max(0, Math.min(asNumber(header.fade, "fade"), 1)),
    messages: asCount(header.messages, "messages", MOST_NUMBER),
    mostInFlight: asCount(header.most_in_flight, "most_in_flight", MOST_NUMBER),
    inFlight: readArray(header.in_flight, "in_flight", ["u32"], bins, arrays),
    links,
    nodes,
    blocks: readShares(header.blocks, "blocks", bins, arrays),
    marks: header.marks === null ? null : readMarks(header.marks, arrays, links.count, nodes.count),
    notes: asList(header.notes, "notes", MOST.texts).map((note, at) => asText(note, `notes[${at}]`)),
  };
}

function readShares(value: unknown, path: string, bins: number, arrays: Arrays): Shares {
  const shares = asFields(value, path);
  const count = asCount(shares.count, `${path}.count`, MOST.marks);
  return {
    count,
    values: readArray(shares.values, `${path}.values`, ["u8"], bins * count, arrays),
    largest: asText(shares.largest, `${path}.largest`),
    sum: asNumber(shares.sum, `${path}.sum`),
    sumText: asText(shares.sum_text, `${path}.sum_text`),
  };
}

function readMarks(value: unknown, arrays: Arrays, links: number, nodes: number): PlaneMarks {
  const marks = asFields(value, "marks");
  const ids = (name: string, count: number, most: number) => {
    const found = readArray(marks[name], `marks.${name}`, ["u32"], count, arrays);
    if (found.some((id) => id >= most)) throw new SceneError(`marks.${name} names one that is not there`);
    return found;
  };
  const [line, node] = asList(marks.sizes, "marks.sizes", 2).map((size) => asNumber(size, "marks.sizes"));
  if (line === undefined || node === undefined) throw new SceneError("marks.sizes needs two numbers");
  const [linkCount, nodeCount] = [
    asCount(marks.links, "marks.links", MOST.marks),
    asCount(marks.nodes, "marks.nodes", MOST.marks),
  ];
  return {
    linkId: ids("link_id", linkCount, links),
    linkAt: readArray(marks.link_at, "marks.link_at", ["f32"], 4 * linkCount, arrays),
    nodeId: ids("node_id", nodeCount, nodes),
    nodeAt: readArray(marks.node_at, "marks.node_at", ["f32"], 2 * nodeCount, arrays),
    sizes: [line, node],
  };
}

export function decodeMoving(buffer: ArrayBuffer): Moving {
  const { header, start: begin } = readHeader(buffer, MOVING);
  const arrays: Arrays = { buffer, start: begin };
  const count = asCount(header.count, "count", MOST.marks);
  const all = asCount(header.all_points, "all_points", MOST.marks);
  const doubles = (name: string) => readArray(header[name], name, ["f64"], count, arrays);
  const numbers = (name: string) => readArray(header[name], name, ["u32"], count, arrays);
  const [first, points] = [numbers("first"), numbers("points")];
  if (first.some((at, index) => at + (points[index] ?? 0) > all))
    throw new SceneError("a way reaches beyond all points");
  const [way = 0, wayPoints = 0] = asList(header.selected_way, "selected_way", 2).map((value) =>
    asCount(value, "selected_way", all),
  );
  if (way + wayPoints > all) throw new SceneError("the selected way reaches beyond all points");
  const [low, high] = asList(header.ends, "ends", 2).map((end) => asText(end, "ends"));
  if (low === undefined || high === undefined) throw new SceneError("ends needs two texts");
  return {
    from: asNumberText(header.from, "from"),
    until: asNumberText(header.until, "until"),
    inFlight: asCount(header.in_flight, "in_flight", MOST_NUMBER),
    note: header.note === null ? null : asText(header.note, "note"),
    selected: header.selected === null ? null : asCount(header.selected, "selected", MOST_NUMBER),
    selectedWay: [way, wayPoints],
    dot: asNumber(header.dot, "dot"),
    title: asText(header.title, "title"),
    colours: asList(header.colours, "colours", MOST_COLOURS).map(readColour),
    ends: [low, high],
    count,
    row: doubles("row"),
    start: doubles("start"),
    end: doubles("end"),
    share: readArray(header.share, "share", ["f32"], count, arrays),
    first,
    points,
    place: readArray(header.place, "place", ["f32"], 4 * all, arrays),
  };
}
