/** A small fuzzy filter: the letters of the query must come in order; beginnings of words and runs of letters count more. */

/** How well `text` answers `query`, higher is better; null if not at all. An empty query is answered by everything. */
export function score(query: string, text: string): number | null {
  const letters = [...query.toLowerCase()].filter((letter) => letter !== " ");
  const low = text.toLowerCase();
  let at = -1;
  let sum = 0;
  for (const letter of letters) {
    const starts = wordStart(low, letter, at + 1);
    const next = low.indexOf(letter, at + 1);
    if (next < 0) return null;
    // The letter right after the last one is best, then one that begins a word, then any.
    if (next === at + 1 && at >= 0) {
      sum += 4;
      at = next;
    } else if (starts >= 0 && rest(low, starts, letters, letter)) {
      sum += 3;
      at = starts;
    } else {
      sum += 1;
      at = next;
    }
  }
  return sum - low.length / 1000;
}

function wordStart(text: string, letter: string, from: number): number {
  for (let i = from; i < text.length; i += 1) {
    if (text[i] === letter && (i === 0 || !/[a-z0-9]/.test(text[i - 1] ?? ""))) return i;
  }
  return -1;
}

/** Whether jumping to `at` leaves enough text for the letters that follow. */
function rest(text: string, at: number, letters: string[], letter: string): boolean {
  let position = at;
  for (const next of letters.slice(letters.lastIndexOf(letter) + 1)) {
    position = text.indexOf(next, position + 1);
    if (position < 0) return false;
  }
  return true;
}

/** The items that answer, best first; ties keep their order. */
export function filtered<T>(query: string, items: T[], text: (item: T) => string): T[] {
  return items
    .flatMap((item) => {
      const value = score(query, text(item));
      return value === null ? [] : [{ item, value }];
    })
    .sort((a, b) => (query.trim() === "" ? 0 : b.value - a.value))
    .map(({ item }) => item);
}
