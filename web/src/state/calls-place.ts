/** What a link says about the call view: how calls are drawn, which are left out, and the rectangle that is brushed. */
import { type Opacity, type OpacityMap, USUAL_OPACITY } from "../draw/opacity";

export const STYLES = ["points-end", "points-start", "lines", "arches"] as const;
export const HEIGHTS = ["duration", "bytes", "rank"] as const;
export const SCALES = ["log", "linear"] as const;
export const MAPS = ["log", "linear", "alpha"] as const satisfies readonly OpacityMap[];

export type CallStyle = (typeof STYLES)[number];
/** A counter is named as `metric:NAME`. */
export type CallHeight = (typeof HEIGHTS)[number] | `metric:${string}`;
export type CallScale = (typeof SCALES)[number];

/** A rectangle of the call view: nanoseconds across, nanoseconds, bytes, ranks or values of a counter down. */
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
  /** Only calls that send and receive so many bytes. */
  bytes: [number, number] | null;
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
  bytes: null,
  communicator: null,
  brush: null,
  closer: null,
};

/** Nothing lasts longer: about a hundred days, and exact in a number of the page. */
export const LONGEST = 9e15;
const LONGEST_NAME = 1000;

/** Adds what is not as usual to the parts of a fragment. */
export function encodeCalls(calls: CallsPlace, add: (key: string, value: string) => void): void {
  const { style, y, scale, opacity, durations, bytes, communicator, brush, closer } = calls;
  if (style !== USUAL_CALLS.style) add("style", style);
  if (y !== USUAL_CALLS.y) add("y", y);
  if (scale !== USUAL_CALLS.scale) add("scale", scale);
  if (opacity.map !== USUAL_OPACITY.map) add("opacity", opacity.map);
  if (opacity.least !== USUAL_OPACITY.least) add("omin", String(opacity.least));
  if (durations) add("durations", durations.join(":"));
  if (bytes) add("bytes", bytes.join(":"));
  if (communicator !== null) add("communicator", String(communicator));
  if (brush) add("brush", [...brush.time, ...brush.values].join(":"));
  if (closer) add("closer", closer.join(":"));
}

export function decodeCalls(params: URLSearchParams): CallsPlace {
  const word = <T extends string>(key: string, words: readonly T[], usual: T) =>
    words.find((one) => one === params.get(key)) ?? usual;
  const communicator = params.get("communicator");
  return {
    style: word("style", STYLES, USUAL_CALLS.style),
    y: readHeight(params.get("y")) ?? USUAL_CALLS.y,
    scale: word("scale", SCALES, USUAL_CALLS.scale),
    opacity: { map: word("opacity", MAPS, USUAL_OPACITY.map), least: readLeast(params.get("omin")) },
    durations: pair(numbers(params.get("durations"), 2)),
    bytes: pair(numbers(params.get("bytes"), 2)),
    communicator: communicator !== null && /^\d{1,9}$/.test(communicator) ? Number(communicator) : null,
    brush: readBrush(params.get("brush")),
    closer: pair(numbers(params.get("closer"), 2), 10),
  };
}

/** Names of counters are those of the trace; whether it has them is the server's to say. */
export function readHeight(text: string | null): CallHeight | null {
  if (text?.startsWith("metric:") && text.length <= LONGEST_NAME) return text as CallHeight;
  return HEIGHTS.find((one) => one === text) ?? null;
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

/** Values of counters may have fractions. */
function readBrush(text: string | null): BrushRect | null {
  const parts = (text ?? "").split(":");
  const time = pair(numbers(parts.slice(0, 2).join(":"), 2));
  const list = parts
    .slice(2)
    .map((one) => (/^\d{1,16}(\.\d{1,16})?(e-?\d{1,3})?$/.test(one) ? Number(one) : Number.NaN));
  const values = pair(list.length === 2 && list.every((one) => one <= LONGEST) ? list : null);
  return time && values ? { time, values } : null;
}
