/** What the server says about steps: their phases, and where the lateness of the selected event arose. */
import { effect, signal } from "@preact/signals";
import { ask } from "../../../api/client";
import { kindOf } from "../../../api/selection";
import type { Phase } from "../../../api/types";
import { followed, logical, place, questionOf, rowsQuestion, stepsParams, traceId } from "../../../state/state";

/** Phases come in pages. */
const PAGE = 100;

export const PHASE_SORTS = ["lateness", "total", "first", "events", "ranks"] as const;
export type PhaseSort = (typeof PHASE_SORTS)[number];
/** The order of the list; it belongs to the person, not to the link. */
export const phaseSort = signal<PhaseSort>("lateness");

function phasesQuestion(from: number): URLSearchParams {
  const page = { sort: phaseSort.value, from: String(from), count: String(PAGE) };
  return questionOf({ ...Object.fromEntries(stepsParams()), ...page });
}

/** The first page of the list, once there are steps. */
export const firstPhases = followed("phases", {
  question: () => (logical.known.value === null ? null : phasesQuestion(0)),
  onDemand: true,
});

/** As many phases as were asked for, in the order of the list; null until they are known. */
export const phases = signal<{ sort: PhaseSort; total: number; list: readonly Phase[] } | null>(null);
effect(() => {
  const first = firstPhases.answer.value;
  phases.value = first && { sort: phaseSort.peek(), total: first.total, list: first.phases };
});

/** Asks for the next page of the list. */
export async function morePhases(): Promise<void> {
  const before = phases.value;
  if (before === null || before.list.length >= before.total || before.sort !== phaseSort.value) return;
  const answer = await ask(traceId.value, "phases", phasesQuestion(before.list.length));
  // Another list, or the same page twice, while this one was on its way.
  if (phases.value !== before) return;
  phases.value = { ...before, total: answer.total, list: [...before.list, ...answer.phases] };
}

/** Where the lateness of the selected call or event arose. */
export const cause = followed("cause", {
  question: () => {
    const { selected } = place.value;
    const kind = kindOf(selected);
    if (selected === null || (kind !== "span" && kind !== "event") || logical.known.value === null) return null;
    return questionOf({ ...Object.fromEntries(stepsParams()), select: selected, ...rowsQuestion() });
  },
  onDemand: true,
});
