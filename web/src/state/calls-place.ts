/** What a link says about the call view: how calls are drawn, which are left out, and the rectangle that is brushed. */
import { type Opacity, type OpacityMap, USUAL_OPACITY } from "../draw/opacity";

export const STYLES = ["points-end", "points-start", "lines", "arches"] as const;
export const HEIGHTS = ["duration", "bytes", "rank"] as const;
export const SCALES = ["log", "linear"] as const;
export const MAPS = ["log", "linear", "alpha"] as const satisfies readonly OpacityMap[];

export type CallStyle = (typeof STYLES)[number];
export type CallHeight = (typeof HEIGHTS)[number];
export type CallScale = (typeof SCALES)[number];

/** A rectangle of the call view: nanoseconds across, nanoseconds, bytes or ranks down. Whole numbers. */
export interface BrushRect {
  time: [number, number];
  values: [number, number];
}

export interface CallsPlace {
  style: CallStyle;
  y: CallHeight;
  scale: CallScale;
  opacity: Opacity;
  /** Only calls that take so long, in nanoseconds. */
  durations: [number, number] | null;
  /** Only calls of this communicator. */
  communicator: number | null;
  brush: BrushRect | null;
  /** The window of closer panes; null lets the page choose one. */
  closer: [number, number] | null;
}

export const USUAL_CALLS: CallsPlace = {
  style: "points-end",
  y: "duration",
  scale: "log",
  opacity: USUAL_OPACITY,
  durations: null,
  communicator: null,
  brush: null,
  closer: null,
};

/** Nothing lasts longer: about a hundred days, and exact in a number of the page. */
export const LONGEST = 9e15;

/** Adds what is not as usual to the parts of a fragment. */
export function encodeCalls(calls: CallsPlace, add: (key: string, value: string) => void): void {
  const { style, y, scale, opacity, durations, communicator, brush, closer } = calls;
  if (style !== USUAL_CALLS.style) add("style", style);
  if (y !== USUAL_CALLS.y) add("y", y);
  if (scale !== USUAL_CALLS.scale) add("scale", scale);
  if (opacity.map !== USUAL_OPACITY.map) add("opacity", opacity.map);
  if (opacity.least !== USUAL_OPACITY.least) add("omin", String(opacity.least));
  if (durations) add("durations", durations.join(":"));
  if (communicator !== null) add("communicator", String(communicator));
  if (brush) add("brush", [...brush.time, ...brush.values].join(":"));
  if (closer) add("closer", closer.join(":"));
}

export function decodeCalls(params: URLSearchParams): CallsPlace {
  const word = <T extends string>(key: string, words: readonly T[], usual: T) =>
    words.find((one) => one === params.get(key)) ?? usual;
  const communicator = params.get("communicator");
  const brush = numbers(params.get("brush"), 4);
  return {
    style: word("style", STYLES, USUAL_CALLS.style),
    y: word("y", HEIGHTS, USUAL_CALLS.y),
    scale: word("scale", SCALES, USUAL_CALLS.scale),
    opacity: { map: word("opacity", MAPS, USUAL_OPACITY.map), least: readLeast(params.get("omin")) },
    durations: pair(numbers(params.get("durations"), 2)),
    communicator: communicator !== null && /^\d{1,9}$/.test(communicator) ? Number(communicator) : null,
    brush: readBrush(brush),
    closer: pair(numbers(params.get("closer"), 2), 10),
  };
}

/** In hundredths, as the slider has them. */
function readLeast(text: string | null): number {
  const least = Number(text ?? Number.NaN);
  if (text === null || text.trim() === "" || !(least >= 0 && least <= 1)) return USUAL_OPACITY.least;
  return Math.round(least * 100) / 100;
}

function numbers(text: string | null, count: number): number[] | null {
  if (text === null || !/^\d{1,16}(:\d{1,16})*$/.test(text)) return null;
  const list = text.split(":").map(Number);
  return list.length === count && list.every((one) => one <= LONGEST) ? list : null;
}

function pair(list: number[] | null | undefined, least = 0): [number, number] | null {
  const [from, to] = list ?? [];
  return from !== undefined && to !== undefined && to - from >= least ? [from, to] : null;
}

function readBrush(list: number[] | null): BrushRect | null {
  const time = pair(list?.slice(0, 2));
  const values = pair(list?.slice(2, 4));
  return time && values ? { time, values } : null;
}
