/** What the server says about the progression of nodes, as panels and heads show it; and the options that decide it. */
import { computed } from "@preact/signals";
import { kindOf } from "../../../api/selection";
import type { InstantTold, ProgressTold } from "../../../api/types";
import { formatTime } from "../../../base/format";
import {
  analysis,
  drawn,
  followed,
  type Options,
  option,
  optionParams,
  place,
  questionOf,
  resetOptions,
  setOptions,
  specOf,
  theme,
  trace,
  usual,
  viewKind,
} from "../../../state/state";
import { type Ends, stepped, USUAL_ENDS } from "./bandwidth";
import { sameInstant } from "./time-steps";

export const progression = analysis("progress");

/** Figures and words: asked like a picture of the lines, and as often while somebody moves a slider. */
export const lines = followed("progress", { question: linesQuestion, live: true, onDemand: true });

function linesQuestion(): URLSearchParams | null {
  const view = viewKind("progress");
  if (view === undefined || progression.ready.value === null) return null;
  const { selected, ranks } = place.value;
  const said = Object.fromEntries(optionParams(specOf(view).options));
  const select = kindOf(selected) === "ranks" ? (selected ?? "") : "";
  return questionOf({ ...said, theme: theme.value, ranks, select });
}

/** The last answer stays while the next one is on its way: panels must not blink while a slider moves. */
let last: { trace: string; told: ProgressTold } | null = null;
export const told = computed<ProgressTold | null>(() => {
  const now = lines.answer.value;
  const { trace: id } = place.value;
  if (now !== null) last = { trace: id, told: now };
  const isLost = lines.problem.value !== null || ["none", "failed"].includes(progression.state.value?.state ?? "");
  return isLost || last?.trace !== id ? null : last.told;
});

/** The instant that is shown, and its number: the option is ahead of the answer while one steps through them. */
export function shownInstant(): { number: number; instant: InstantTold } | null {
  const now = told.value;
  const asked = option("shown-step");
  if (now === null) return null;
  const number = asked !== null && asked < now.instants.length ? asked : now.shown;
  const instant = now.instants[number];
  return instant === undefined ? null : { number, instant };
}

/** How many instants there are, as far as is known. */
export function lastInstant(): number {
  return Math.max((told.value?.instants.length ?? 1) - 1, 0);
}

export function showInstant(number: number, how: "push" | "live" = "push"): void {
  setOptions({ "shown-step": Math.min(Math.max(number, 0), lastInstant()) }, how);
}

export function stepInstant(by: number): void {
  const now = shownInstant();
  if (now !== null) showInstant(now.number + by, "live");
}

/** Divides the run into so many steps; the instant that somebody chose stays where it is. */
export function setTimeSteps(steps: number): void {
  const chosen = option("shown-step");
  const shown = chosen === null ? null : sameInstant(chosen, option("time-steps"), steps);
  setOptions({ "time-steps": steps, "shown-step": shown });
}

/** The ends of the slider: what the server has tried, and farther where somebody asked for more. */
export function bandwidthEnds(): Ends {
  const tried = told.value?.bandwidths ?? [];
  const [least, most] = [tried[0]?.[0] ?? USUAL_ENDS[0], tried.at(-1)?.[0] ?? USUAL_ENDS[1]];
  return most > least ? [least, most] : USUAL_ENDS;
}

export function setBandwidth(bandwidth: number, how: "push" | "live" = "live"): void {
  setOptions({ bandwidth }, how);
}

export function stepBandwidth(by: 1 | -1): void {
  setBandwidth(stepped(option("bandwidth"), by, bandwidthEnds()));
}

/** How one looks at progress, for another run that is compared with this one. */
export function keptOptions(): Options {
  const names = ["work", "weights", "in-flight", "bound-workers", "time-steps", "bandwidth", "min-depth"] as const;
  const kept = names.filter((name) => option(name) !== usual(name)).map((name) => [name, option(name)]);
  return Object.fromEntries(kept);
}

/** What counts as work, in words; until that is known, what usually does. */
export function workNow(): string {
  return told.value?.work ?? (trace.value?.tasks === "0" ? "logical steps" : "tasks");
}

export function setWork(work: string): void {
  if (work === "") resetOptions(["work"]);
  else setOptions({ work });
}

/** The moment of an instant, in words as fine as a step. */
export function instantWords(number: number): string {
  const { times = [] } = told.value ?? {};
  const step = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / Math.max(times.length - 1, 1);
  return formatTime(times[number] ?? Number.NaN, step / 50);
}

/** The pane of a Gantt chart, if one has drawn. */
export function ganttPane(): string | null {
  return [...drawn.value].find(([, { view }]) => view === "gantt")?.[0] ?? null;
}
