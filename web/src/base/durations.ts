/** Ranges of durations as people write them: `1 ms – 2 s`, `10us-`, `-5ms`. */
import { formatDuration } from "./format";

const UNITS: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12 };

/** Nanoseconds, or a sentence that says what is wrong; null where nothing is asked for. */
export function parseDurations(text: string, longest: number): [number, number] | null | string {
  const tidy = text.trim();
  if (tidy === "" || tidy === "any") return null;
  const parts = tidy.split(/\s*(?:[-–—:]|\bto\b)\s*/);
  const [low = "", high = ""] = parts;
  if (parts.length !== 2 || (low === "" && high === "")) return "Write a range, for example 1 ms - 2 s, or 10 us -";
  const unit = /([a-zµμ]+)$/i.exec(high)?.[1];
  const from = low === "" ? 0 : parseOne(low, unit);
  const to = high === "" ? longest : parseOne(high, unit);
  if (from === null) return `“${low.slice(0, 20)}” is no duration. Write for example 10 us`;
  if (to === null) return `“${high.slice(0, 20)}” is no duration. Write for example 2 s`;
  if (to < from) return "The range runs backwards.";
  return [Math.min(from, longest), Math.min(to, longest)];
}

/** A number without a unit has that of the other end. */
function parseOne(text: string, otherUnit: string | undefined): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*([a-zµμ]+)?$/i.exec(text);
  const size = UNITS[(match?.[2] ?? otherUnit ?? "").toLowerCase()];
  return match && size !== undefined ? Math.round(Number(match[1]) * size) : null;
}

/** The range in words that read back the same, as far as four digits go. */
export function durationsWords([from, to]: [number, number], longest: number): string {
  const short = (ns: number) =>
    formatDuration(ns)
      .replace(/(\.\d*?)0+ /, "$1 ")
      .replace(". ", " ");
  return `${from <= 0 ? "" : `${short(from)} `}–${to >= longest ? "" : ` ${short(to)}`}`.trim();
}
