/**
 * The shared state of the page: one selection, one time window, one filter for all panes.
 *
 * Everything that a link should reopen is in `place`, and changes only through `go`. The rest is loaded from the server
 * as a consequence. This file is the front door; the parts are beside it.
 */
import { computed } from "@preact/signals";
import { addCallsParams, closerWindow, isWide } from "./calls";
import { place } from "./history";
import { addLogicalParams, hasSteps, stepWindow } from "./logical";
import { theme } from "./theme";
import { allRows, regionIds, regionOf, rowsOf, wholeTime } from "./trace";

export { closerWindow, goCalls, isWide, sightParams } from "./calls";
export { brushed, brushProblem, findings, startCalls } from "./calls-follow";
export {
  type BrushRect,
  type CallHeight,
  type CallStyle,
  HEIGHTS,
  LONGEST,
  MAPS,
  readHeight,
  SCALES,
  STYLES,
} from "./calls-place";
export { brushTool, drawn, hasCloser, type PaneStatus, showsCalls } from "./drawn";
export { toggleHidden, toggleHighlight } from "./emphasis";
export { dismissFirstLayout, FEW_RANKS, firstLayoutWords } from "./first-layout";
export { details, detailsProblem, profile, startFollowing } from "./follow";
export { canRedo, canUndo, go, place, redo, shareUrl, undo } from "./history";
export {
  goLogical,
  goOptions,
  hasSteps,
  logicalKnown,
  logicalReady,
  logicalState,
  optionsParams,
  optionsText,
  stepWindow,
  timelineColour,
  waitsForLogical,
} from "./logical";
export {
  cancelComputation,
  cause,
  causeProblem,
  chosenPhase,
  computeAgain,
  fetchPhase,
  morePhases,
  PHASE_SORTS,
  type PhaseSort,
  phaseSort,
  phases,
  startLogical,
} from "./logical-follow";
export {
  COLOURS,
  type Colour,
  type LogicalOptions,
  PALETTES,
  STEPPINGS,
  SWITCHES,
  USUAL_LOGICAL,
  USUAL_OPTIONS,
} from "./logical-place";
export { clampWindow, type Place, ranksProblem, SHORTEST_WINDOW, tidyRanks } from "./place";
export { aroundSteps, fitAround, goTo, reveal, showRows, showSteps, wholeRun } from "./reveal";
export { cancel, openTrace, type Page, page, reconnected, serverGone, start, traces, version } from "./session";
export { type Theme, theme, toggleTheme } from "./theme";
export {
  closeTour,
  goToStop,
  hasWandered,
  moveStop,
  openTour,
  stopIndex,
  tour,
} from "./tour";
export { allSteps, regionIds, regionOf, sawRows, trace, wholeTime } from "./trace";

/** The window of time that all panes show, in nanoseconds. */
export const timeWindow = computed<[number, number]>(() => place.value.time ?? wholeTime.value);

/** The window of rows of the filtered list, half open. */
export const rowWindow = computed<[number, number]>(
  () => place.value.rows ?? [0, allRows.value ?? rowsOf(hasSteps.value)],
);

/** The colour of a region in the current theme. */
export function regionColour(id: number): string | null {
  const region = regionOf(id);
  return region ? region[theme.value] : null;
}

/** Where a pane gets its scenes from. */
export interface Source {
  /** The server's name of the view. */
  view: string;
  /** Parameters that this pane has whatever the controls say. */
  fixed?: Record<string, string>;
  /** Whether it shows the shorter window rather than that of all panes. */
  closer?: boolean;
  /** Whether it has an axis of steps, and cannot be drawn before there are any. */
  steps?: boolean;
  /** Whether it shows the whole run whatever the windows are, and something else takes the hands. */
  whole?: boolean;
}

/** What a scene is asked for, but its width and height. Reading it in an effect follows every change that matters. */
export function sceneParams(frame: "pane" | "strip" | "figure", source: Source): URLSearchParams {
  const { rows, ranks, highlight, hidden, selected } = place.value;
  const time = source.closer ? closerWindow.value : place.value.time;
  const params = new URLSearchParams({ frame, theme: theme.value });
  const list = (key: string, ids: number[]) => {
    if (ids.length > 0) params.set(key, ids.join(","));
  };
  if (ranks !== "") params.set("ranks", ranks);
  list("highlight", regionIds(highlight));
  list("hide", regionIds(hidden));
  // The strip is the whole run, and the ground of the brush: neither windows nor the selection change it.
  if (frame === "strip") return params;
  if (frame === "pane" && isWide.value && !source.closer && !source.steps) params.set("frame", "wide");
  if (source.view === "calls") addCallsParams(params, frame);
  addLogicalParams(params, source.view);
  for (const [key, value] of Object.entries(source.fixed ?? {})) params.set(key, value);
  if (source.whole) return params;
  // Time follows steps and is followed by them: each pane asks for the window of its own axis.
  if (source.steps) params.set("steps", stepWindow.value.join(":"));
  else if (time) params.set("time", time.join(":"));
  if (rows) params.set("rows", rows.join(":"));
  if (selected) params.set("select", selected);
  return params;
}
