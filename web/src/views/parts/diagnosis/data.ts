/** What the server says is wrong with the run, as panels show it. */
import type { OptionValues } from "../../../api/options";
import type { EfficiencyColumn, FindingTold } from "../../../api/types";
import { diagnosis, diagnosisTold, efficiency, option, setOptions, trace } from "../../../state/state";

/** Colours of who waits for whom. */
export const BLAME_COLOURS = ["waits", "waiting", "cost", "path"] as const;
export type BlameColour = (typeof BLAME_COLOURS)[number];

export function isBlame(colour: string): colour is BlameColour {
  return BLAME_COLOURS.some((one) => one === colour);
}

/** What the colours of the timeline of waits may mean. */
export const COLOURS = [...BLAME_COLOURS, "function"] as const;
export type WaitColour = (typeof COLOURS)[number];

export const COLOUR_WORDS: Readonly<Record<WaitColour, string>> = {
  waits: "waits, makes others wait",
  waiting: "waiting",
  cost: "cost to others",
  path: "critical path",
  function: "function",
};

/** Whether the server can diagnose the trace. */
export function canDiagnose(): boolean {
  return trace.value?.views.includes("ranks") ?? false;
}

/** What they mean now: those of logical time mean nothing here. */
export function waitColour(): WaitColour {
  const chosen = option("colour");
  return COLOURS.find((one) => one === chosen) ?? "waits";
}

/** What a picture may have besides its colours. It has both where colours show who waits, unless somebody chose otherwise. */
export type Extra = "path" | "magnify";

export function isShown(name: Extra): boolean {
  const chosen = option(name);
  return chosen === "" ? waitColour() !== "function" : chosen === "on";
}

/** The option that shows it or not; what is usual need not be said. */
export function shownAs(on: boolean, colour: WaitColour = waitColour()): OptionValues[Extra] {
  return on === (colour !== "function") ? "" : on ? "on" : "off";
}

export function toggleExtra(name: Extra): void {
  setOptions({ [name]: shownAs(!isShown(name)) });
}

/** A finding by its number, from 1. */
export function findingOf(number: number | null): FindingTold | null {
  return number === null ? null : (diagnosisTold.answer.value?.findings[number - 1] ?? null);
}

/** Whether a diagnosis may still come. */
export function isComing(): boolean {
  const state = diagnosis.state.value?.state;
  const isHere = diagnosisTold.answer.value !== null || diagnosisTold.problem.value !== null;
  return !isHere && (state === undefined || state === "building" || state === "ready");
}

/** The columns of the efficiencies: of the window first, if there is one, then of the run and of its parts. */
export function efficiencyColumns(): EfficiencyColumn[] {
  const order: EfficiencyColumn["name"][] = ["window", "run", "until", "since"];
  const columns = efficiency.answer.value?.columns ?? [];
  return order.flatMap((name) => columns.find((one) => one.name === name) ?? []);
}
