/** How thick the ways of groups are, as the server draws them (`way_width`): a key beside a picture must agree with it. Pure. */

/** Of one node, and of all; among many nodes the range is larger. */
const WIDTHS = [1.2, 7.5] as const;
const MANY_WIDTHS = [0.8, 10] as const;
const MANY = 100;

/** The width of a way that so many of all nodes take, in pixels. */
export function wayWidth(nodes: number, all: number): number {
  const [least, most] = all > MANY ? MANY_WIDTHS : WIDTHS;
  return all <= 1 ? most : least + (most - least) * Math.sqrt(Math.max(nodes - 1, 0) / (all - 1));
}

/** One node, and round numbers up to all of them. */
export function thicknesses(all: number): number[] {
  const third = Math.max(all / 3, 1);
  const size = 10 ** Math.floor(Math.log10(third));
  const step = size * ([5, 2, 1].find((one) => one * size <= third) ?? 1);
  return [1, ...[1, 2, 3].map((at) => at * step).filter((count) => count > 1 && count <= all)];
}
