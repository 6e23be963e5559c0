/** Figures that are rounded together, so that they still add up when people add them. */

/** Sums of shares lie beside whole steps by errors of arithmetic only. */
const NEARLY = 1e-9;

/**
 * Values in whole steps that add up to `total`, by default to their rounded sum. The largest remainders are rounded up; of equal
 * ones the first.
 */
export function roundedTogether(values: readonly number[], step: number, total?: number): number[] {
  const all = total ?? values.reduce((sum, value) => sum + value, 0);
  const steps = values.map((value) => Math.floor(value / step + NEARLY));
  let rest = Math.round(all / step) - steps.reduce((sum, count) => sum + count, 0);
  const order = values
    .map((value, at) => ({ at, over: value / step - (steps[at] ?? 0) }))
    .sort((a, b) => b.over - a.over || a.at - b.at);
  // A total that is none of theirs cannot be reached by rounding: each is rounded up or down, never further.
  for (const { at } of rest < 0 ? order.reverse() : order) {
    if (rest === 0) break;
    if (rest > 0) {
      steps[at] = (steps[at] ?? 0) + 1;
      rest -= 1;
    } else if ((steps[at] ?? 0) > 0) {
      steps[at] = (steps[at] ?? 0) - 1;
      rest += 1;
    }
  }
  return steps.map((count) => count * step);
}
