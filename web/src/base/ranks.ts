/** Filters of ranks such as `0-15,100,200-`: which rank is in which row of the filtered list. */

function ranges(filter: string): [number, number][] {
  if (filter === "") return [[0, Number.POSITIVE_INFINITY]];
  return filter.split(",").map((part) => {
    const [from = "", to] = part.split("-");
    return [Number(from), to === undefined ? Number(from) : to === "" ? Number.POSITIVE_INFINITY : Number(to)];
  });
}

/** Sorted, and without overlaps, however people wrote them. */
function tidy(filter: string): [number, number][] {
  const out: [number, number][] = [];
  for (const [from, to] of ranges(filter).sort((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else out.push([from, to]);
  }
  return out;
}

/** The rank in a row of the list; beyond its end, the last one. */
export function rankOfRow(filter: string, row: number): number {
  let left = Math.max(0, row);
  let last = 0;
  for (const [from, to] of tidy(filter)) {
    const count = to - from + 1;
    if (left < count) return from + left;
    left -= count;
    last = to;
  }
  return last;
}

/** How many ranks of the list come before a rank. */
export function rowOfRank(filter: string, rank: number): number {
  return tidy(filter).reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to + 1, rank) - from), 0);
}
