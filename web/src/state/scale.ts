/**
 * The scale of a metric: at which values its colours end, and at which sums the overview does.
 *
 * Without options each trace has a scale of its own, up to its largest value. Two traces can be compared only on one scale,
 * so it goes along as options from trace to trace, and is in their links.
 */
import { place } from "./history";
import { logical } from "./logical";
import { type Options, optionOf } from "./options";

type Ends = readonly [number, number];

/** The largest value of the trace, where its colours end by themselves; and the largest sum of a step. */
export function ownEnds(): { value: number; sum: number } {
  const known = logical.known.value;
  const { options } = place.value;
  const metric = optionOf(options, "metric");
  const aggregates = optionOf(options, "aggregates");
  const of = (all?: Record<string, string>, events?: Record<string, string>) =>
    Number((aggregates ? all : events)?.[metric] ?? 0);
  return {
    value: of(known?.largest, known?.largest_of_events),
    sum: of(known?.largest_sum, known?.largest_sum_of_events),
  };
}

/** What is shown now, as options: the metric with both scales. Nothing while that is not known. */
export function scaleNow(): Options {
  const { options } = place.value;
  const { value, sum } = ownEnds();
  const ends = (said: Ends | null, own: number): Ends | null => said ?? (own > 0 ? [0, own] : null);
  const range = ends(optionOf(options, "range"), value);
  const sums = ends(optionOf(options, "sums"), sum);
  const { metric, relative, aggregates, palette } = options;
  return {
    ...(metric !== undefined && { metric }),
    ...(relative !== undefined && { relative }),
    ...(aggregates !== undefined && { aggregates }),
    ...(palette !== undefined && { palette }),
    ...(range && { range }),
    ...(sums && { sums }),
  };
}
