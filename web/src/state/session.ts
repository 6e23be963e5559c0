/**
 * From the printed URL to a trace on the page, and back again when the server was away.
 *
 * There is no heartbeat: a page that nobody touches asks nothing. The first request that fails says that the server is
 * gone; from then on one small question every two seconds finds out when it is back.
 */
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import {
  ApiError,
  cancelImport,
  fetchTrace,
  fetchTraces,
  isAbort,
  onLost,
  onOutcome,
  openSession,
  ServerGone,
} from "../api/client";
import type { TraceState } from "../api/types";
import { chooseLayout, firstChoice } from "./first-layout";
import { beginWithSteps } from "./first-steps";
import { amend, go, place, refit, startHistory } from "./history";
import type { Options } from "./options";
import { NOWHERE } from "./place";
import { scaleNow } from "./scale";
import { reconnected, serverGone } from "./server";
import { startTheme } from "./theme";
import { beginTour, loadTour } from "./tour";
import { allRows, trace } from "./trace";
import { showsSteps, viewsOf } from "./views";

const RETRY_MS = 2000;
const POLL_MS = 400;

/** What the whole page is about; all but "ready" are pages of words. */
export type Page =
  | { kind: "starting" }
  | { kind: "locked" }
  | { kind: "none" }
  | { kind: "choose" }
  | { kind: "unknown" }
  | { kind: "importing"; trace: TraceState }
  | { kind: "failed"; name: string; error: string }
  /** It was opened, but the server can no longer say anything about it. */
  | { kind: "refused"; name: string; error: string }
  | { kind: "ready" };

export const traces = signal<TraceState[]>([]);
export const version = signal("");

const locked = signal(false);
const listed = signal(false);
/** Why the trace of the place cannot be shown though the list says that it is ready. */
const refusal = signal<string | null>(null);

const listedTrace = computed(() => traces.value.find((one) => one.id === place.value.trace));

export const page = computed<Page>(() => {
  if (locked.value) return { kind: "locked" };
  if (trace.value && trace.value.id === place.value.trace) return { kind: "ready" };
  if (!listed.value) return { kind: "starting" };
  if (traces.value.length === 0) return { kind: "none" };
  const one = listedTrace.value;
  if (!one) return { kind: place.value.trace === "" ? "choose" : "unknown" };
  if (one.state === "importing") return { kind: "importing", trace: one };
  if (refusal.value !== null) return { kind: "refused", name: one.name, error: refusal.value };
  if (one.state === "failed")
    return { kind: "failed", name: one.name, error: one.error ?? "The server did not say why." };
  return { kind: "starting" };
});

/**
 * Shows another trace from its beginning, in the layout that somebody chose; else in the one that suits it. Where both are
 * looked at in logical time, or on a machine, their scales stay the same: one goes there to compare.
 */
export function openTrace(id: string): void {
  const { layout: before, stop } = place.value;
  const layout = before === firstChoice.value ? NOWHERE.layout : before;
  const kept = viewsOf(before).map(({ keeps }) => keeps?.() ?? {});
  const options: Options = Object.assign(showsSteps(before) ? { ...scaleNow() } : {}, ...kept);
  beginWithSteps(id, layout);
  go({ ...NOWHERE, layout, stop, trace: id, options }, "push");
}

export async function cancel(id: string): Promise<void> {
  await quietly(async () => {
    await cancelImport(id);
    await list();
  });
}

/** Reads the address, opens the session and keeps the trace in step with the place. */
export async function start(): Promise<void> {
  startTheme();
  onOutcome((outcome) => {
    if (outcome === "gone") lost();
    if (outcome === "locked") locked.value = true;
    if (outcome === "answered") serverGone.value = false;
  });
  onLost((path, why) => {
    // Pictures of it that are still on the page cannot be moved or asked about any more.
    if (!`${path}/`.startsWith(`/traces/${encodeURIComponent(place.value.trace)}/`)) return;
    batch(() => {
      trace.value = null;
      refusal.value = why;
    });
  });
  const token = startHistory();
  const begin = async () => {
    if (token !== null) await openSession(token);
    locked.value = false;
    await loadTour();
    await list();
  };
  // With the server away from the beginning, the retry has to open the session too.
  retry = begin;
  await quietly(begin);
  effect(keepPolling);
  effect(loadTrace);
  effect(chooseLayout);
}

let retry: () => Promise<void> = list;
let retrying = false;

function lost(): void {
  serverGone.value = true;
  if (retrying) return;
  retrying = true;
  const again = async () => {
    await quietly(listed.value ? list : retry);
    if (serverGone.value) {
      setTimeout(again, RETRY_MS);
      return;
    }
    retrying = false;
    reconnected.value += 1;
  };
  setTimeout(again, RETRY_MS);
}

async function list(): Promise<void> {
  const answer = await fetchTraces();
  batch(() => {
    version.value = answer.version;
    traces.value = answer.traces;
    listed.value = true;
    const only = answer.traces[0];
    if (place.value.trace !== "" || beginTour()) return;
    if (answer.traces.length === 1 && only) amend({ trace: only.id });
  });
}

/** The errors that have a signal of their own need no further words. */
async function quietly(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ServerGone || error instanceof ApiError || isAbort(error))) throw error;
  }
}

/** An import is watched while somebody looks at it, or chooses among traces. */
function keepPolling(): undefined | (() => void) {
  const now = page.value;
  const watch =
    now.kind === "importing" || (now.kind === "choose" && traces.value.some((one) => one.state === "importing"));
  if (!watch || serverGone.value) return undefined;
  const timer = setTimeout(() => quietly(list), POLL_MS);
  return () => clearTimeout(timer);
}

function loadTrace(): undefined | (() => void) {
  const id = place.value.trace;
  const state = listedTrace.value?.state;
  void reconnected.value;
  if (untracked(() => trace.value?.id === id) || state !== "ready") return undefined;
  const stop = new AbortController();
  refusal.value = null;
  fetchTrace(id, stop.signal)
    .then((info) => {
      batch(() => {
        allRows.value = null;
        trace.value = info;
        refit();
      });
    })
    .catch((error: unknown) => {
      if (error instanceof ApiError) refusal.value = error.message;
    });
  return () => stop.abort();
}
