/** Ranges as people write them: of durations, `1 ms – 2 s`, `10us-`, `-5ms`; of bytes, `1 KiB – 64 KiB`, `1M-`. */
import { formatBytes, formatDuration } from "./format";

/** What is measured, and how it is written. */
export interface Quantity {
  /** By unit in small letters; "" where a number needs none. */
  units: Record<string, number>;
  format: (value: number) => string;
  /** What a number of it is called, and examples of one and of a range. */
  name: string;
  one: string;
  range: string;
}

export const DURATIONS: Quantity = {
  units: { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12 },
  format: formatDuration,
  name: "duration",
  one: "10 us",
  range: "1 ms - 2 s, or 10 us -",
};

const [K, M, G] = [1024, 1024 ** 2, 1024 ** 3];
export const BYTES: Quantity = {
  units: { "": 1, b: 1, k: K, kb: K, kib: K, m: M, mb: M, mib: M, g: G, gb: G, gib: G },
  format: formatBytes,
  name: "number of bytes",
  one: "64 KiB",
  range: "1 KiB - 64 KiB, or 1 MiB -",
};

/** Both ends, or a sentence that says what is wrong; null where nothing is asked for. */
export function parseRange(text: string, quantity: Quantity, greatest: number): [number, number] | null | string {
  const tidy = text.trim();
  if (tidy === "" || tidy === "any") return null;
  const parts = tidy.split(/\s*(?:[-–—:]|\bto\b)\s*/);
  const [low = "", high = ""] = parts;
  if (parts.length !== 2 || (low === "" && high === "")) return `Write a range, for example ${quantity.range}`;
  const unit = /([a-zµμ]+)$/i.exec(high)?.[1];
  const wrong = (end: string) => `“${end.slice(0, 20)}” is not a ${quantity.name}. Write, for example, ${quantity.one}`;
  const from = low === "" ? 0 : parseOne(low, unit, quantity);
  const to = high === "" ? greatest : parseOne(high, unit, quantity);
  if (from === null) return wrong(low);
  if (to === null) return wrong(high);
  if (to < from) return "The range runs backwards.";
  return [Math.min(from, greatest), Math.min(to, greatest)];
}

/** A number without a unit has that of the other end. */
export function parseOne(text: string, otherUnit: string | undefined, { units }: Quantity): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*([a-zµμ]+)?$/i.exec(text);
  const size = units[(match?.[2] ?? otherUnit ?? "").toLowerCase()];
  return match && size !== undefined ? Math.round(Number(match[1]) * size) : null;
}

/** The range in words that read back the same, as far as four digits go. */
export function rangeWords([from, to]: readonly [number, number], { format }: Quantity, greatest: number): string {
  const short = (value: number) =>
    format(value)
      .replace(/(\.\d*?)0+ /, "$1 ")
      .replace(". ", " ");
  return `${from <= 0 ? "" : `${short(from)} `}–${to >= greatest ? "" : ` ${short(to)}`}`.trim();
}
