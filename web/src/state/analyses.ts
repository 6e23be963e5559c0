/**
 * What the server computes on demand: how far each analysis is, its progress, a way to stop it and to begin again.
 *
 * An analysis is wanted while a view of the page needs it. Its question is made of the options that decide it. All of that
 * is the same for every analysis; what one of them means is the affair of the views that show it.
 */
import { batch, computed, effect, type ReadonlySignal, signal, untracked } from "@preact/signals";
import { ApiError, cancelAnalysis, fetchAnalysis, isAbort, ServerGone } from "../api/client";
import { ANALYSES, type AnalysisName, type OptionName } from "../api/options";
import { kindOf, type SelectedKind } from "../api/selection";
import type { AnalysisAbout, AnalysisState } from "../api/types";
import { hasSteps, viewsHere } from "./dock";
import { place, traceId } from "./history";
import { decidingOptions, paramsOf } from "./options";
import { reconnected } from "./server";
import { trace } from "./trace";
import { needsOf, type ViewKind } from "./views";

const POLL_MS = 250;

export type Progress<A extends AnalysisName = AnalysisName> = AnalysisState<A> | { state: "cancelled" };

/** A question about an analysis: of which trace, decided by what (`result`), and with what is added to it (`text`). */
interface Question {
  trace: string;
  result: string;
  text: string;
}

/** The sums that all that is said of a selection rests on, whatever views there are. */
export function summedBy(kind: SelectedKind | null): AnalysisName | null {
  if (kind === "messages") return "messages";
  return kind === "calls" ? "profile" : null;
}

export interface Analysis<A extends AnalysisName = AnalysisName> {
  name: A;
  /** Whether something on the page needs it. */
  isWanted: ReadonlySignal<boolean>;
  /** How far what the page needs is; null while that is not known. */
  state: ReadonlySignal<Progress<A> | null>;
  /** What is known of it while everything that the page needs is there. */
  ready: ReadonlySignal<AnalysisAbout[A] | null>;
  /** What is known of it by these options: it stays while something is added to it. */
  known: ReadonlySignal<AnalysisAbout[A] | null>;
  /** The options that decide its result, as a question says them. */
  options: ReadonlySignal<string>;
  /** Gives the computation up; what was there before can still be gone back to. */
  cancel(): Promise<void>;
  again(): void;
  /** Asks until it is there, or cannot be. */
  start(): void;
  /** Lets somebody know in the same moment in which it is there. */
  whenReady(run: (about: AnalysisAbout[A]) => void): void;
  /** Takes an answer of the server. For tests too. */
  take(answer: AnalysisState<A>): void;
}

/** Those whose results are of the ranks that are shown. */
const OF_RANKS: readonly AnalysisName[] = ["chosen"];

/** A question of some options; of an analysis of ranks, also which they are. */
function asked(name: AnalysisName, options: readonly OptionName[]): string {
  const params = paramsOf(place.value.options, options);
  if (OF_RANKS.includes(name)) {
    if (place.value.ranks !== "") params.set("ranks", place.value.ranks);
    if (hasSteps.value) params.set("main", "1");
  }
  return params.toString();
}

function makeAnalysis<A extends AnalysisName>(name: A): Analysis<A> {
  const options = computed(() => asked(name, decidingOptions(name)));
  const text = computed(() => asked(name, ANALYSES[name]));
  const now = (): Question => ({ trace: place.value.trace, result: options.value, text: text.value });
  /** What the server last said, and to which question; and what was last there. */
  const said = signal<{ question: Question; state: AnalysisState<A> } | null>(null);
  const last = signal<{ question: Question; about: AnalysisAbout[A] } | null>(null);
  const cancelled = signal<Question | null>(null);
  /** Counts the times that somebody asked again. */
  const timesAsked = signal(0);
  const listeners: ((about: AnalysisAbout[A]) => void)[] = [];
  const isSame = (a: Question | null | undefined) =>
    a?.trace === place.value.trace && a.text === text.value && a.result === options.value;

  const isWanted = computed(() => {
    if (summedBy(kindOf(place.value.selected)) === name) return true;
    const offered = trace.value?.views ?? [];
    const isAbout = (view: ViewKind) =>
      [needsOf(view), view.wishes, view.sooner?.()].some((names) => names?.includes(name) ?? false);
    return viewsHere.value.some((view) => offered.includes(view.source.view) && isAbout(view));
  });
  const state = computed<Progress<A> | null>(() => {
    if (!isWanted.value) return null;
    if (isSame(cancelled.value)) return { state: "cancelled" };
    return isSame(said.value?.question) ? (said.value?.state ?? null) : null;
  });
  const take = (question: Question, answer: AnalysisState<A>) =>
    batch(() => {
      said.value = { question, state: answer };
      if (answer.state !== "ready") return;
      last.value = { question, about: answer.about };
      for (const run of listeners) run(answer.about);
    });

  const poll = () => {
    const [id, question] = [traceId.value, now()];
    if (id === "" || !isWanted.value || isSame(cancelled.value)) return undefined;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const inquire = async () => {
      try {
        const answer = await fetchAnalysis(id, name, new URLSearchParams(question.text), stop.signal);
        take(question, answer);
        if (answer.state === "building") timer = setTimeout(inquire, POLL_MS);
      } catch (error) {
        if (isAbort(error) || error instanceof ServerGone) return;
        take(question, { state: "failed", error: error instanceof ApiError ? error.message : String(error) });
      }
    };
    void inquire();
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  };
  /** A change of the place that does not change the question asks nothing. */
  const key = computed(() => JSON.stringify([traceId.value, now(), isWanted.value, isSame(cancelled.value)]));

  return {
    name,
    isWanted,
    state,
    options,
    ready: computed(() => {
      const progress = state.value;
      return progress?.state === "ready" ? progress.about : null;
    }),
    known: computed(() => {
      const { question, about } = last.value ?? {};
      return question?.trace === place.value.trace && question.result === options.value ? (about ?? null) : null;
    }),
    async cancel() {
      cancelled.value = now();
      try {
        await cancelAnalysis(place.value.trace, name, new URLSearchParams(text.value));
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof ServerGone)) throw error;
      }
    },
    again() {
      batch(() => {
        cancelled.value = null;
        said.value = null;
        timesAsked.value += 1;
      });
    },
    start() {
      effect(() => {
        void [key.value, reconnected.value, timesAsked.value];
        return untracked(poll);
      });
    },
    whenReady: (run) => listeners.push(run),
    take: (answer) => take(now(), answer),
  };
}

/** All of them, made when they are first looked at. */
const analyses = new Map<AnalysisName, Analysis>();

export function analysis<A extends AnalysisName>(name: A): Analysis<A> {
  const known = analyses.get(name) ?? (makeAnalysis(name) as unknown as Analysis);
  analyses.set(name, known);
  return known as unknown as Analysis<A>;
}

export function startAnalyses(): void {
  for (const name of Object.keys(ANALYSES) as AnalysisName[]) analysis(name).start();
}

/** What a view needs and has not got, and whether it has to wait for it. */
export interface Lack {
  /** Whether it is on its way. */
  isComing: boolean;
  /** Whether nothing can be drawn before it is there. */
  mustWait: boolean;
}

/**
 * What keeps a view from being drawn as it should be; null if nothing does. A view that can do without waits only for what
 * was there a moment ago, so that it does not change its looks for that moment.
 */
export function lackOf(view: ViewKind): Lack | null {
  const lacking = needsOf(view)
    .map((name) => analysis(name))
    .filter(({ ready }) => ready.value === null);
  if (lacking.length === 0) return null;
  const isComing = lacking.every(({ state }) => state.value === null || state.value.state === "building");
  const wasThere = lacking.every(({ known }) => known.value !== null);
  return { isComing, mustWait: view.canWait !== true || (wasThere && isComing) };
}

/** Whether all that a view needs is there. */
export function isProvided(view: ViewKind): boolean {
  return needsOf(view).every((name) => analysis(name).ready.value !== null);
}

/** What decides the results that a view is drawn from, as one text: pictures of other results would lie. */
export function resultsOf(view: ViewKind): string {
  return needsOf(view)
    .map((name) => `${name}?${analysis(name).options.value}`)
    .join("\n");
}
