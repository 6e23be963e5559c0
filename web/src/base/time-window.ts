/**
 * A window of time as people type it: `12.5ms 13ms`, `12.5 .. 13 ms`, `1.2s:`, `1.2s +300us`.
 *
 * An end without a unit has that of the other one; two without are nanoseconds. An end that is left out is that of the run, as in
 * `--time` of the command line.
 */
import { formatDuration } from "./format";
import { DURATIONS, parseOne } from "./ranges";

export const WINDOW_EXAMPLE = "12.5ms 13ms, 12.5 .. 13 ms, 1.2s +300us";

/** Both ends in nanoseconds, or a sentence that says what is wrong. */
export function parseTimeWindow(text: string, [first, last]: readonly [number, number]): [number, number] | string {
  // Separators of thousands; what stands between two ends; a space between a unit, or a number, and the next number.
  const tidy = text
    .trim()
    .replace(/(\d),(?=\d{3}(?!\d))/g, "$1")
    .replace(/\s*(?:\.{2,}|…|[-–—:,|]|\bto\b)\s*/i, "|")
    .replace(/(?<=[\da-zµμ])\s+(?=[\d.])/i, "|");
  const isLength = tidy.includes("+");
  const parts = tidy.split(isLength ? /\|?\+/ : "|").map((part) => part.trim());
  const [from = "", to = ""] = parts;
  if (parts.length !== 2 || (from === "" && to === "")) return "Write where it begins and where it ends.";
  const unitOf = (part: string) => /([a-zµμ]+)$/i.exec(part)?.[1];
  const other = unitOf(to) ?? unitOf(from) ?? "ns";
  const read = (part: string) => (Number(part) === 0 ? 0 : parseOne(part, other, DURATIONS));
  const start = from === "" ? first : read(from);
  const end = to === "" ? last : read(to);
  const wrong = (part: string) => `“${part.slice(0, 20)}” is not a time.`;
  if (start === null) return wrong(from);
  if (end === null) return wrong(to);
  const until = isLength ? start + end : end;
  if (until <= start) return "The window must begin before it ends.";
  if (start >= last) return `The run ends at ${formatDuration(last)}.`;
  return [Math.max(start, first), Math.min(until, last)];
}
