/**
 * What is loaded because logical time is on the page: how far it is, its phases, and where the selected call's lateness arose.
 */
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { ApiError, cancelLogical, fetchCause, fetchLogical, fetchPhases, isAbort, ServerGone } from "../api/client";
import type { Cause, Phase } from "../api/types";
import { place, refit } from "./history";
import { startLink } from "./link";
import {
  answered,
  cancelled,
  hasSteps,
  known,
  logicalKey,
  logicalKnown,
  optionsParams,
  optionsText,
  wantsLogical,
} from "./logical";
import { reconnected } from "./session";
import { allSteps, trace } from "./trace";

const POLL_MS = 250;
/** Phases come in pages. */
const PAGE = 100;

export const PHASE_SORTS = ["lateness", "total", "first", "events", "ranks"] as const;
export type PhaseSort = (typeof PHASE_SORTS)[number];
/** The order of the list; it belongs to the person, not to the link. */
export const phaseSort = signal<PhaseSort>("lateness");
/** As many phases as were asked for, in that order; null until they are known. */
export const phases = signal<{ total: number; list: Phase[] } | null>(null);
/** The phase that was chosen, wherever it is in the list. */
export const chosenPhase = signal<Phase | null>(null);
export const cause = signal<Cause | null>(null);
/** Why nothing can be said about a lateness, in words. */
export const causeProblem = signal<string | null>(null);

/** Counts the times that somebody asked again. */
const asked = signal(0);

const traceId = computed(() => (trace.value?.id === place.value.trace ? place.value.trace : ""));
const ranks = computed(() => place.value.ranks);
const phaseNumber = computed(() => place.value.logical.phase);
const selected = computed(() => place.value.selected);
/** The trace and the options of steps that are there, as one text; "" while there are none. */
const readyFor = computed(() => (logicalKnown.value === null ? "" : `${traceId.value}?${optionsText.value}`));

export function startLogical(): void {
  effect(followState);
  effect(followPhases);
  effect(followChosen);
  effect(followCause);
  startLink();
}

/** Asks until logical time is there, or cannot be. */
function followState(): undefined | (() => void) {
  const [id, key, options] = [traceId.value, logicalKey.value, optionsText.value];
  void [reconnected.value, asked.value];
  if (id === "" || !wantsLogical.value || cancelled.value === key) return undefined;
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = async () => {
    try {
      const state = await fetchLogical(id, new URLSearchParams(key), stop.signal);
      batch(() => {
        answered.value = { trace: id, options, key, state };
        if (state.state !== "ready") return;
        known.value = { trace: id, options, ready: state };
        allSteps.value = state.steps;
        refit();
      });
      if (state.state === "building") timer = setTimeout(ask, POLL_MS);
    } catch (error) {
      if (isAbort(error) || error instanceof ServerGone) return;
      const why = error instanceof ApiError ? error.message : String(error);
      answered.value = { trace: id, options, key, state: { state: "failed", error: why } };
    }
  };
  // Steps of another trace, or by other options, are no longer known.
  if (untracked(() => logicalKnown.value === null)) allSteps.value = null;
  void ask();
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}

/** Gives the computation up; what was there before can still be gone back to. */
export async function cancelComputation(): Promise<void> {
  const [id, key] = [traceId.value, logicalKey.value];
  cancelled.value = key;
  try {
    await cancelLogical(id, optionsParams());
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof ServerGone)) throw error;
  }
}

export function computeAgain(): void {
  batch(() => {
    cancelled.value = null;
    answered.value = null;
    asked.value += 1;
  });
}

function followPhases(): undefined | (() => void) {
  const [ready, sort] = [readyFor.value, phaseSort.value];
  if (ready === "" || !hasSteps.value) {
    phases.value = null;
    return undefined;
  }
  const stop = new AbortController();
  loadPhases(sort, 0, stop.signal).catch(() => {});
  return () => stop.abort();
}

/** A phase by its number: in the order of their steps phases are in the order of their numbers. */
export async function fetchPhase(phase: number, signal?: AbortSignal): Promise<Phase | null> {
  const ask = { sort: "first", from: phase, count: 1 };
  const [found] = (await fetchPhases(traceId.value, optionsParams(), ask, signal)).phases;
  return found?.phase === phase ? found : null;
}

function followChosen(): undefined | (() => void) {
  const [ready, phase] = [readyFor.value, phaseNumber.value];
  if (ready === "" || phase === null || !hasSteps.value) {
    chosenPhase.value = null;
    return undefined;
  }
  const listed = untracked(() => phases.value?.list.find((one) => one.phase === phase));
  if (listed !== undefined) {
    chosenPhase.value = listed;
    return undefined;
  }
  const stop = new AbortController();
  fetchPhase(phase, stop.signal)
    .then((found) => {
      chosenPhase.value = found;
    })
    .catch(() => {
      if (!stop.signal.aborted) chosenPhase.value = null;
    });
  return () => stop.abort();
}

/** The next page of the list. */
export async function morePhases(): Promise<void> {
  const have = phases.value?.list.length ?? 0;
  if (have < (phases.value?.total ?? 0)) await loadPhases(phaseSort.value, have);
}

async function loadPhases(sort: PhaseSort, from: number, signal?: AbortSignal): Promise<void> {
  const ready = readyFor.value;
  const answer = await fetchPhases(traceId.value, optionsParams(), { sort, from, count: PAGE }, signal);
  const list = from === 0 ? [] : (phases.value?.list ?? []);
  // Another list, or the same page twice, while this one was on its way.
  if (ready !== readyFor.value || sort !== phaseSort.value || list.length !== from) return;
  phases.value = { total: answer.total, list: [...list, ...answer.phases] };
}

function followCause(): undefined | (() => void) {
  const [ready, span] = [readyFor.value, selected.value];
  causeProblem.value = null;
  if (ready === "" || span === null || !hasSteps.value) {
    cause.value = null;
    return undefined;
  }
  const stop = new AbortController();
  fetchCause(traceId.value, optionsParams(), { span, ranks: ranks.value, main: true }, stop.signal)
    .then((answer) => {
      cause.value = answer;
    })
    .catch((error: unknown) => {
      if (stop.signal.aborted) return;
      cause.value = null;
      if (error instanceof ApiError) causeProblem.value = error.message;
    });
  return () => stop.abort();
}
