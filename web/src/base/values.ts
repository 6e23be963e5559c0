/** Values of a metric as people write them: `1.5 ms`, `200us`, `12,000`. */

const UNITS: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, min: 6e10 };

/** The value in the metric's own unit, or null if it is none. A time needs a unit. */
export function parseValue(text: string, unit: string): number | null {
  const match = /^(\d[\d,]*(?:\.\d+)?(?:e\d{1,2})?)\s*([a-zµμ]*)$/i.exec(text.trim());
  if (!match) return null;
  const number = Number((match[1] ?? "").replaceAll(",", ""));
  const name = (match[2] ?? "").toLowerCase();
  if (unit !== "ns") return name === "" || name === unit.toLowerCase() ? number : null;
  const size = UNITS[name];
  return size === undefined ? (number === 0 ? 0 : null) : Math.round(number * size);
}
