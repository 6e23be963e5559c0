/** Metrics of logical time in words. */
import { formatCount, formatDuration } from "../base/format";
import { logicalKnown, place } from "../state/state";

/** The metric of the place as the server describes it. */
export function metricNow(): { name: string; title: string; unit: string } {
  const { metric } = place.value.logical;
  const known = logicalKnown.value?.metrics.find(({ name }) => name === metric);
  return known ?? { name: metric, title: metric.charAt(0).toUpperCase() + metric.slice(1), unit: "ns" };
}

export function metricTitle(): string {
  return metricNow().title;
}

/** A value with few digits, and its unit: for the ends of a key. */
export function valueWords(value: number, unit: string): string {
  if (unit !== "ns") {
    const text = Math.abs(value) < 1e4 ? String(Number(value.toPrecision(3))) : formatCount(value);
    return unit === "" ? text : `${text} ${unit}`;
  }
  if (value === 0) return "0";
  const [number = "", name = ""] = formatDuration(value).split(" ");
  const parsed = Number(number.replaceAll(",", ""));
  return `${parsed < 1000 ? Number(parsed.toPrecision(3)) : number} ${name}`;
}
