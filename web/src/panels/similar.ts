/** Names that resemble what somebody typed, for a search that found nothing. */

/** Below this share of common pairs of letters, names have little to do with each other. */
const LEAST = 0.4;

/** Pairs of neighbouring letters, without signs and case. */
function pairs(text: string): string[] {
  const letters = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  return Array.from({ length: Math.max(letters.length - 1, 0) }, (_, at) => letters.slice(at, at + 2));
}

/** How alike two texts are, from 0 to 1: twice their common pairs of letters by all of them. */
export function likeness(a: string, b: string): number {
  const [mine, rest] = [pairs(a), pairs(b)];
  const all = mine.length + rest.length;
  let common = 0;
  for (const pair of mine) {
    const at = rest.indexOf(pair);
    if (at < 0) continue;
    rest.splice(at, 1);
    common += 1;
  }
  return all === 0 ? 0 : (2 * common) / all;
}

/** The names most like a text, best first. A name also counts by its part after the last sign: people leave prefixes out. */
export function similar(text: string, names: readonly string[], most: number): string[] {
  const value = (name: string) =>
    Math.max(likeness(text, name), likeness(text, name.split(/[^\p{L}\p{N}]+/u).at(-1) ?? ""));
  return names
    .map((name) => ({ name, value: value(name) }))
    .filter((one) => one.value >= LEAST)
    .sort((a, b) => b.value - a.value)
    .slice(0, most)
    .map(({ name }) => name);
}
