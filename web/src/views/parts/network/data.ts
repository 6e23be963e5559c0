/** What the server says about the machine and its traffic, as the panels of the network show it. */
import { computed } from "@preact/signals";
import type { MachineKind, NetworkAbout, NetworkTold } from "../../../api/types";
import { formatBytes, formatShort } from "../../../base/format";
import {
  analysis,
  drawn,
  type Followed,
  followed,
  type Options,
  option,
  type PaneStatus,
  place,
  questionOf,
  readOptions,
  sceneParams,
  setOptions,
  usual,
  viewKind,
  wholeTime,
} from "../../../state/state";

export const machine = analysis("network");

/** The last answer about the machine stays while its routes or its traffic are computed anew: panes must not change places for that. */
let lastAbout: { of: string; about: NetworkAbout } | null = null;
export const aboutMachine = computed<NetworkAbout | null>(() => {
  const of = JSON.stringify([place.value.trace, option("topology")]);
  const about = machine.known.value ?? (lastAbout?.of === of ? lastAbout.about : null);
  if (about !== null) lastAbout = { of, about };
  return about;
});

/** What kind of machine it is; until that is known, what its name says. */
export const machineKind = computed<MachineKind>(
  () => aboutMachine.value?.kind ?? KINDS.find((kind) => option("topology").startsWith(`${kind}:`)) ?? "torus",
);
const KINDS: readonly MachineKind[] = ["fat-tree", "dragonfly"];

/** A machine in words, for those who look for another. */
const CALLED: Readonly<Record<MachineKind, string>> = {
  torus: "a torus",
  "fat-tree": "a fat-tree",
  dragonfly: "a dragonfly",
};

/** What a view says that there is only of another kind of machine. */
export function noSuchMachine(wanted: MachineKind): string {
  const kind = machineKind.value;
  return kind === wanted
    ? "There is nothing of the machine to show."
    : `This machine is ${CALLED[kind]}, not ${CALLED[wanted]}.`;
}

/** Words and figures wait until windows and handles rest. */
const QUIET_MS = 120;

/** What the links say: asked like a picture of them, without its looks and its window on the plane. */
export const links = followed("network", { question: linksQuestion, quietMs: QUIET_MS, onDemand: true });

function linksQuestion(): URLSearchParams | null {
  const view = viewKind("torus");
  if (view === undefined || machine.ready.value === null) return null;
  const params = sceneParams("pane", view);
  for (const name of ["frame", "theme", "across", "down", "rows", "highlight", "hide", "names", "main"])
    params.delete(name);
  return params;
}

/** What the links would say with the traffic of a pattern, on the same machine by the same routes. */
export function trafficOf(pattern: string): Followed<NetworkTold> {
  const question = () => {
    const params = linksQuestion();
    // A pattern has no times, and nobody's part of it is selected.
    for (const name of ["time", "select", "loads", "sections", "traffic"]) params?.delete(name);
    params?.set("pattern", pattern);
    return params;
  };
  return followed("network", { question, quietMs: QUIET_MS, onDemand: true });
}

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

/** The colours of loads, as a picture of this machine last drew them. */
export function loadBar(): PaneStatus["bar"] {
  const pictures = machineKind.value === "torus" ? ["torus"] : [machineKind.value.replace("-", "")];
  const bars = [...drawn.value.values()].flatMap(({ view, bar }) =>
    bar !== undefined && pictures.includes(view) ? [bar] : [],
  );
  // Blocks of switches have shades of one colour; where cells are drawn too, theirs say more.
  return bars.reduce<PaneStatus["bar"]>(
    (best, one) => (best && best.colours.length >= one.colours.length ? best : one),
    undefined,
  );
}

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
