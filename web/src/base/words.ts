/** Words put together as people do. */

/** "a", "a and b", "a, b and c"; or with another word before the last one. */
export function joined(words: readonly string[], before = "and"): string {
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} ${before} ${words.at(-1)}`;
}

/** With a capital letter at the beginning. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
