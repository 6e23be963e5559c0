/** Metrics of logical time in words. */
import { formatCount, formatDuration } from "../../../base/format";
import { logical, option } from "../../../state/state";

/** The metric of the place as the server describes it. */
export function metricNow(): { name: string; title: string; unit: string } {
  const metric = option("metric");
  const known = logical.known.value?.metrics.find(({ name }) => name === metric);
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
  return value === 0 ? "0" : formatDuration(value);
}
