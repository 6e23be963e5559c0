/** Windows of time and rows in words, the same in heads, sliders and the status line. */
import { formatCount, formatTime, stepsText } from "../base/format";
import {
  acrossIn,
  allSteps,
  hasSteps,
  isOfTime,
  option,
  place,
  rowWindow,
  specOf,
  trace,
  type ViewKind,
  windowOf,
} from "../state/state";

const UNITS: Record<string, number> = { s: 1e9, ms: 1e6, µs: 1e3, ns: 1 };

/** "3.41–4.60 s": both ends in the unit of the later one, as finely as so many parts of the window need. */
export function timeWords([from, to]: [number, number], parts = 100): string {
  const end = formatTime(to, Math.max((to - from) / parts, 1));
  const [value = "", unit = "ns"] = end.split(" ");
  const digits = value.split(".")[1]?.length ?? 0;
  const start = (from / (UNITS[unit] ?? 1)).toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return `${from === 0 ? "0" : start}–${end}`;
}

/** One moment, as finely as a window needs. */
export function momentWords(moment: number, [from, to]: [number, number]): string {
  return formatTime(moment, Math.max((to - from) / 100, 1));
}

/** "ranks 0–15", or what else the rows are. */
export function rowWords(): string {
  const info = trace.value;
  if (!info) return "";
  const [from, to] = rowWindow.value;
  const { rows, ranks } = place.value;
  const last = formatCount(Math.max(to - 1, from));
  const count = hasSteps.value ? (info.rows_main ?? info.rows) : info.rows;
  const isByRank = option("order") === "rank" && option("fold") === "none";
  const noun = info.has_ranks && count === info.ranks && isByRank ? "rank" : "row";
  if (ranks === "") return from === to - 1 ? `${noun} ${last}` : `${noun}s ${formatCount(from)}–${last}`;
  if (rows === null) return `ranks ${ranks}`;
  return `rows ${formatCount(from)}–${last} of ranks ${ranks}`;
}

/** What is shown along the horizontal axis of a pane. */
function acrossWords(pane: string, view: ViewKind): string {
  const across = acrossIn(pane, view) ?? "time";
  const window = windowOf(across);
  if (isOfTime(across)) return timeWords(window);
  if (across === "steps") return allSteps.value === null ? "" : `steps ${stepsText(window)}`;
  if (across === "across") return "";
  const last = formatCount(Math.max(window[1] - 1, window[0]));
  return `${across} ${formatCount(window[0])}–${last}`;
}

/** What a pane shows, for its head: "20–47", "ranks 0–15". */
export function windowWords(pane: string, view: ViewKind, y = specOf(view).y): string[] {
  const rows = y === "rows" ? rowWords() : place.value.ranks === "" ? "" : `ranks ${place.value.ranks}`;
  return [acrossWords(pane, view), rows].filter((part) => part !== "");
}

/** A per cent as in the legend: one decimal, and never a nought for something. */
export function percent(share: number): string {
  return share > 0 && share < 0.05 ? "<0.1" : share.toFixed(1);
}

/** Text cut at its backquotes: every other piece is a name. A backquote that is never closed is a letter like others. */
export function pieces(text: string): { text: string; isName: boolean }[] {
  const cut = text.split(/`([^`]+)`/);
  return cut.map((piece, i) => ({ text: piece, isName: i % 2 === 1 })).filter((piece) => piece.text !== "");
}
