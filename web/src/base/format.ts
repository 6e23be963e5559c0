/**
 * Numbers and names as people read them.
 *
 * Times have the unit that fits, counts have separators, and text from a trace is made harmless. Everything the page
 * says goes through here, so that the same number reads the same in a tooltip, on an axis and in the status line.
 */

interface Unit {
  size: number;
  name: string;
}

/** The largest first. */
const TIME_UNITS: readonly Unit[] = [
  { size: 1e9, name: "s" },
  { size: 1e6, name: "ms" },
  { size: 1e3, name: "µs" },
];

const NANOSECOND: Unit = { size: 1, name: "ns" };

const BYTE_UNITS = ["KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** What stands where there is no number to say. */
const NO_NUMBER = "–";

/** Digits of a length of time or an amount of memory: more are noise beside a picture. */
const DIGITS = { time: 4, bytes: 3 } as const;

/**
 * A length of time with four digits: `3.786 ms`. Below a microsecond it is exact. The rule of `duration_text` in Rust; the cases
 * in `durations.txt` are tested there too.
 */
export function formatDuration(ns: number): string {
  if (!Number.isFinite(ns)) return NO_NUMBER;
  const length = Math.abs(ns);
  const sign = ns < 0 ? "-" : "";
  // A value that would round up to a thousand belongs to the next unit: 999.99 µs is 1.000 ms.
  const unit = TIME_UNITS.find(({ size }) => length >= size * 0.99995) ?? NANOSECOND;
  if (unit === NANOSECOND) return `${sign}${Math.round(length)} ns`;
  // In whole steps of the last digit, so that halves are rounded alike everywhere.
  let decimals: number = DIGITS.time;
  let steps: number;
  do {
    decimals -= 1;
    steps = Math.round(length / (unit.size / 10 ** decimals));
  } while (steps >= 10 ** DIGITS.time && decimals > 0);
  const digits = String(steps).padStart(decimals + 1, "0");
  const whole = group(digits.slice(0, digits.length - decimals));
  return `${sign}${whole}${decimals > 0 ? `.${digits.slice(-decimals)}` : ""} ${unit.name}`;
}

/**
 * A moment, fine enough to tell apart moments that are `precisionNs` from each other: `formatTime(3_412_600_000, 1e6)`
 * is `3.413 s`. The unit is one in which neither the digits behind the point nor those before it get out of hand.
 */
export function formatTime(ns: number, precisionNs: number): string {
  if (!Number.isFinite(ns)) return NO_NUMBER;
  const precision = Number.isFinite(precisionNs) && precisionNs >= 1 ? precisionNs : 1;
  // What rounds to zero has no size of its own; it takes the unit of its neighbours on the axis.
  const largest = Math.abs(ns) < precision / 2 ? Number.POSITIVE_INFINITY : Math.abs(ns);
  const unit = TIME_UNITS.find(({ size }) => precision >= size / 1000 && largest >= size) ?? NANOSECOND;
  let decimals = 0;
  while (unit.size / 10 ** decimals > precision && decimals < 9) decimals += 1;
  // In whole steps of the last decimal: nanoseconds above 2^53 aside, this stays exact where a division would not.
  const step = unit.size / 10 ** decimals;
  const steps = Math.round(Math.abs(ns) / step);
  const whole = Math.floor(steps / 10 ** decimals);
  const fraction = steps - whole * 10 ** decimals;
  const sign = ns < 0 && steps > 0 ? "-" : "";
  const digits = decimals === 0 ? "" : `.${String(fraction).padStart(decimals, "0")}`;
  return `${sign}${group(String(whole))}${digits} ${unit.name}`;
}

/** A count with separators: `212,418,304`. Sums of 64 bits come as strings and stay exact. */
export function formatCount(count: number | bigint | string): string {
  if (typeof count === "number") {
    if (!Number.isFinite(count)) return NO_NUMBER;
    return formatCount(BigInt(Math.round(count)));
  }
  const text = String(count);
  if (!/^-?\d+$/.test(text)) return NO_NUMBER;
  return text.startsWith("-") ? `-${group(text.slice(1))}` : group(text);
}

/** A count for where there is little room: `9,999`, `459 k`, `29.2 M`. */
export function formatShort(count: number): string {
  if (!Number.isFinite(count) || count < 9999.5) return formatCount(count);
  const [size, name] = count < 999_500 ? [1e3, "k"] : count < 999.5e6 ? [1e6, "M"] : [1e9, "G"];
  const value = count / size;
  return `${value.toFixed(value < 99.95 ? 1 : 0)} ${name}`;
}

/** A noun after a count: "call" after 1, else "calls". */
export function plural(count: number | string, noun: string): string {
  return String(count) === "1" ? noun : `${noun}s`;
}

/** The steps that a window touches: "20–47", or one of them. */
export function stepsText([from, to]: readonly [number, number]): string {
  const [first, last] = [Math.floor(from + 1e-6), Math.max(Math.ceil(to - 1e-6) - 1, Math.floor(from + 1e-6))];
  return first === last ? formatCount(first) : `${formatCount(first)}–${formatCount(last)}`;
}

/** An amount of memory: `512 B`, `32.0 KiB`, `4.50 MiB`. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes)) return NO_NUMBER;
  if (Math.abs(bytes) < 1024) return `${formatCount(bytes)} B`;
  let value = bytes;
  let name: string = "B";
  for (const unit of BYTE_UNITS) {
    if (Math.abs(value) < 1023.5 && name !== "B") break;
    value /= 1024;
    name = unit;
  }
  return `${value < 0 ? "-" : ""}${significant(Math.abs(value), DIGITS.bytes)} ${name}`;
}

function significant(value: number, digits: number): string {
  const before = Math.max(1, Math.floor(Math.log10(Math.max(value, 1))) + 1);
  const text = value.toFixed(Math.max(0, digits - before));
  const [whole = "", fraction] = text.split(".");
  return fraction === undefined ? group(whole) : `${group(whole)}.${fraction}`;
}

function group(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/**
 * Text from a trace, safe to show: what is invisible or turns the reading direction is written out as its number
 * (`\u{202e}`), so that no name can pose as another; at most `max` characters are kept, an ellipsis says that there
 * were more.
 */
export function printable(text: string, max = 200): string {
  let out = "";
  let count = 0;
  for (const character of text) {
    if (count >= max) return `${out}…`;
    out += isDisguise(character.codePointAt(0) ?? 0) ? escaped(character) : character;
    count += 1;
  }
  return out;
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Controls, marks and overrides of direction, invisible joiners, separators of lines, and halves of pairs. */
function isDisguise(code: number): boolean {
  return (
    code < 0x20 ||
    (code >= 0x7f && code <= 0x9f) ||
    code === 0xad ||
    code === 0x61c ||
    code === 0x180e ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    (code >= 0xd800 && code <= 0xdfff) ||
    code === 0xfeff ||
    (code & 0xfffe) === 0xfffe
  );
}
