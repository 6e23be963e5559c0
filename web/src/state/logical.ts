/** Logical time's share of the state: changes of its place, how far its computation is, and what its requests say. */
import { computed, signal } from "@preact/signals";
import type { LogicalReady, LogicalState } from "../api/types";
import { go, place } from "./history";
import { optionsKey } from "./linked";
import { type Colour, type LogicalOptions, type LogicalPlace, showsSteps, USUAL_LOGICAL } from "./logical-place";
import { allSteps, trace } from "./trace";

/** Changes what is shown of logical time, or how. */
export function goLogical(change: Partial<LogicalPlace>, how: "push" | "live"): void {
  const { logical } = place.value;
  const isOther = change.metric !== undefined && change.metric !== logical.metric;
  // The ends of one metric's colours mean nothing for another, nor phases found by other options.
  const forgotten = isOther ? { range: null } : change.options !== undefined ? { phase: null, range: null } : {};
  go({ logical: { ...logical, ...forgotten, ...change } }, how);
}

export function goOptions(change: Partial<LogicalOptions>): void {
  goLogical({ options: { ...place.value.logical.options, ...change } }, "push");
}

/** Whether a pane of the layout shows steps. */
export const hasSteps = computed(() => showsSteps(place.value.layout));

/** What colours of the timeline mean. */
export const timelineColour = computed<Colour>(
  () => place.value.logical.colour ?? (hasSteps.value ? "metric" : "function"),
);

/** Whether anything on the page needs logical time. */
export const wantsLogical = computed(() => {
  const offered = trace.value?.views.includes("logical") ?? false;
  return offered && (hasSteps.value || timelineColour.value !== "function");
});

/** The options as a question says them. */
export const optionsText = computed(() => optionsKey(place.value.logical.options));

export function optionsParams(): URLSearchParams {
  return new URLSearchParams(optionsText.value);
}

/** What the computation depends on, as a question: the options and the metric. */
export const logicalKey = computed(() => {
  const params = optionsParams();
  params.set("metric", place.value.logical.metric);
  return params.toString();
});

/** What the server last said, and about which question of which trace. */
export const answered = signal<{ trace: string; options: string; key: string; state: LogicalState } | null>(null);
/** The question whose computation somebody cancelled. */
export const cancelled = signal<string | null>(null);

/** How far what the page needs is; null while that is not known. */
export const logicalState = computed<LogicalState | { state: "cancelled" } | null>(() => {
  if (!wantsLogical.value) return null;
  const now = answered.value;
  if (cancelled.value === logicalKey.value) return { state: "cancelled" };
  return now && now.trace === place.value.trace && now.key === logicalKey.value ? now.state : null;
});

/** What is known of the steps while everything that the page needs is there. */
export const logicalReady = computed<LogicalReady | null>(() => {
  const now = logicalState.value;
  return now?.state === "ready" ? now : null;
});

/** What was last there, for which trace and options. */
export const known = signal<{ trace: string; options: string; ready: LogicalReady } | null>(null);

/** What is known of the steps of these options: it stays while another metric is made. */
export const logicalKnown = computed<LogicalReady | null>(() => {
  const last = known.value;
  return last?.trace === place.value.trace && last.options === optionsText.value ? last.ready : null;
});

/** Whether logical time has to come before a picture can: for steps, and for colours that were there a moment ago. */
export function waitsForLogical(source: { view: string; steps?: boolean }): boolean {
  if (logicalReady.value !== null) return false;
  if (source.steps) return true;
  const isOnItsWay = logicalState.value === null || logicalState.value.state === "building";
  return source.view === "timeline" && timelineColour.value !== "function" && logicalKnown.value !== null && isOnItsWay;
}

/** Whether there is more to say about a span: its step and how late it is. */
export const areStepsKnown = computed(() => logicalKnown.value !== null);

/** The window of steps that panes show. */
export const stepWindow = computed<[number, number]>(
  () => place.value.logical.steps ?? [0, Math.max(allSteps.value ?? 1, 1)],
);

/** What a picture of the view `view` is asked with. */
export function addLogicalParams(params: URLSearchParams, view: string): void {
  if (hasSteps.value) params.set("main", "1");
  const { metric, range, relative, aggregates, messages, palette, path } = place.value.logical;
  const colour = colourOf(view);
  if (colour === null) return;
  for (const [key, value] of optionsParams()) params.set(key, value);
  params.set("metric", metric);
  params.set("colour", colour);
  if (range) params.set("range", range.join(":"));
  if (relative) params.set("relative", "1");
  if (palette !== USUAL_LOGICAL.palette) params.set("palette", palette);
  // Without aggregates colours end at the largest event, in all views.
  if (!aggregates) params.set("aggregates", "0");
  // The sums of all steps show neither events nor their messages.
  if (view === "metric") return;
  if (!messages) params.set("messages", "0");
  if (path) params.set("path", "1");
}

/** What the colours of a view mean; null where it knows nothing of logical time, or it is not there yet. */
function colourOf(view: string): Colour | null {
  const chosen = timelineColour.value;
  if (view === "logical") return chosen === "phase" ? "phase" : "metric";
  if (view === "metric") return "metric";
  return view === "timeline" && chosen !== "function" && logicalReady.value !== null ? chosen : null;
}
