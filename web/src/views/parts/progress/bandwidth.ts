/** The scale of the bandwidth slider: logarithmic, since groups change by factors of it, not by differences. Pure. */

/** The ends of a slider while nobody has said others. */
export const USUAL_ENDS: Ends = [0.001, 0.5];

export type Ends = readonly [number, number];

/** Bandwidths that keys and arrows step through stand in this ratio. */
const STEP = 2 ** 0.25;

/** Where a bandwidth lies on the slider, from 0 to 1. */
export function placeOf(bandwidth: number, [least, most]: Ends): number {
  const at = Math.log(bandwidth / least) / Math.log(most / least);
  return Math.min(Math.max(at, 0), 1);
}

/** The bandwidth at a place of the slider, with as many digits as one can set by hand. */
export function bandwidthAt(place: number, [least, most]: Ends): number {
  return tidy(least * (most / least) ** Math.min(Math.max(place, 0), 1), 3);
}

/** The next bandwidth up (1) or down (-1) within the ends. */
export function stepped(bandwidth: number, by: 1 | -1, [least, most]: Ends): number {
  return Math.min(Math.max(tidy(bandwidth * STEP ** by, 2), least), most);
}

function tidy(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}

/** "0.030": three decimals, and a fourth where it matters. */
export function bandwidthWords(bandwidth: number): string {
  return bandwidth.toLocaleString("en-US", { minimumFractionDigits: 3, maximumFractionDigits: 4 });
}

/** A stretch of the slider that gives the same number of groups. */
export interface Stretch {
  groups: number;
  /** Places of the slider, from 0 to 1. */
  from: number;
  to: number;
}

/** Stretches of equal numbers of groups; one ends half-way to the next bandwidth that was tried. */
export function stretches(tried: readonly (readonly [number, number])[]): Stretch[] {
  const [first, last] = [tried[0], tried.at(-1)];
  if (first === undefined || last === undefined || !(last[0] > first[0])) return [];
  const ends: Ends = [first[0], last[0]];
  const out: Stretch[] = [];
  tried.forEach(([bandwidth, groups], i) => {
    const [at, next] = [placeOf(bandwidth, ends), placeOf(tried[i + 1]?.[0] ?? bandwidth, ends)];
    const now = out.at(-1);
    const to = (at + next) / 2;
    if (now?.groups === groups) now.to = to;
    else out.push({ groups, from: now?.to ?? 0, to });
  });
  return out;
}
