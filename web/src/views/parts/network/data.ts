/** What the server says about the machine and its traffic, as the panels of the network show it. */
import { computed } from "@preact/signals";
import type { NetworkTold } from "../../../api/types";
import { formatBytes, formatShort } from "../../../base/format";
import {
  analysis,
  followed,
  type Options,
  option,
  questionOf,
  readOptions,
  sceneParams,
  setOptions,
  usual,
  viewKind,
  wholeTime,
} from "../../../state/state";

export const machine = analysis("network");

/** Words and figures wait until windows and handles rest. */
const QUIET_MS = 120;

/** What the links say: asked like a picture of them, without its looks and its window on the plane. */
export const links = followed("network", {
  question: () => {
    const view = viewKind("torus");
    if (view === undefined || machine.ready.value === null) return null;
    const params = sceneParams("pane", view);
    for (const name of ["frame", "theme", "across", "down", "rows", "highlight", "hide", "names", "main"])
      params.delete(name);
    return params;
  },
  quietMs: QUIET_MS,
  onDemand: true,
});

/** The stages of the whole run, which one can step through. */
export const runStages = followed("findings", {
  question: () => (wholeTime.value[1] > 1 ? questionOf({ time: wholeTime.value.join(":") }) : null),
  onDemand: true,
});

/** The last answer stays while the next one is on its way: panels must not blink while a window moves. */
let last: NetworkTold | null = null;
export const told = computed(() => {
  last = links.answer.value ?? (links.problem.value === null && machine.ready.value !== null ? last : null);
  return last;
});

/** A load in words. */
export function loadWords(value: number): string {
  return told.value?.is_bytes ? formatBytes(value) : formatShort(value);
}

/** Shows the next of the views that there is a small map of. */
export function nextView(): void {
  const now = told.value;
  if (now === null) return;
  // By the options, which are ahead of the answer while one presses the key again and again.
  const [along, plane] = [option("along") || now.axes[0], option("plane")];
  const isShown = (one: Record<string, string>) => one.along === along && (plane === "" || one.plane === plane);
  const next = now.views[(now.views.findIndex(isShown) + 1) % now.views.length];
  if (next !== undefined) setOptions(readOptions(next));
}

/** A load that the server says, where its unit stands above. */
export function withoutUnit(text: string): string {
  const { unit, is_bytes } = told.value ?? { unit: "", is_bytes: true };
  return is_bytes ? text : text.replace(` ${unit}`, "");
}

/** The sections that count, by number; null for all. */
export function sectionsNow(): number[] | null {
  const text = option("sections");
  return text === "" ? null : text.split(",").map(Number);
}

/** Lets only these sections count; all of them is as usual. */
export function sectionsOption(numbers: readonly number[], all: number): Options {
  return { sections: numbers.length >= all ? "" : numbers.join(",") };
}

/** How one looks at the machine, with the ends of the colours, for another run that is compared with this one. */
export function keptOptions(): Options {
  const names = ["along", "links", "diagonals", "stubs", "direction", "routing"] as const;
  const ends = told.value?.full ?? null;
  const kept = names.filter((name) => option(name) !== usual(name)).map((name) => [name, option(name)]);
  return { ...Object.fromEntries(kept), loads: option("loads") ?? (ends && ends[1] > ends[0] ? ends : null) };
}
