/** Functions that stand out or are hidden: a click more, a click less, from wherever one points at them. */
import { go, place } from "./history";

function toggled(list: string[], name: string): string[] {
  return list.includes(name) ? list.filter((one) => one !== name) : [...list, name];
}

export function toggleHighlight(name: string): void {
  go({ highlight: toggled(place.value.highlight, name) }, "push");
}

export function toggleHidden(name: string): void {
  go({ hidden: toggled(place.value.hidden, name) }, "push");
}
