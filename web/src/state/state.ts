/**
 * The shared state of the page: one selection, one window of time, one filter for all panes.
 *
 * Everything that a link should reopen is in `place`, and changes only through `go`. The rest is loaded from the server
 * as a consequence. This file is the front door; the parts are beside it.
 */
import type { OptionName, OptionValues } from "../api/options";
import { startAnalyses } from "./analyses";
import { startFollowing } from "./followed";
import { go, place } from "./history";
import { startSteps } from "./logical";
import { startMotion } from "./motion";
import { startNotes } from "./notes";
import { type Options, optionOf, paramsOf, tied } from "./options";
import { startRuler } from "./ruler";
import { startStepsTime } from "./steps-time";
import { theme } from "./theme";
import { regionOf } from "./trace";

export { type Analysis, analysis, lackOf, resultsOf } from "./analyses";
export { closeUpOf, timeAround } from "./close-up";
export { closerWindow, isCloserKnown } from "./closer";
export { clusters, isOpen, toggleCluster } from "./clusters";
export { type Command, commands, isPress, keycaps } from "./commands";
export { details, profile } from "./details";
export { diagnosis, diagnosisTold, efficiency, findingNow, selectionOf } from "./diagnosis";
export {
  dock,
  hasCloser,
  hasDiagnosis,
  hasSteps,
  hasTree,
  isWide,
  layoutNow,
  offeredLayouts,
  offeredViews,
  setDock,
  viewsInSight,
} from "./dock";
export { drawn, type PaneStatus } from "./drawn";
export { toggleHidden, toggleHighlight } from "./emphasis";
export { findings } from "./findings";
export { dismissFirstLayout, firstLayoutWords } from "./first-layout";
export { chooseSteps, showLayout } from "./first-steps";
export { type Followed, followed } from "./followed";
export { canRedo, canUndo, go, place, redo, shareUrl, traceId, undo } from "./history";
export { logical, stepsParams } from "./logical";
export {
  activityShown,
  isPlaying,
  type MotionStatus,
  messagesBy,
  moment,
  motionKind,
  motionTold,
  pace,
  pause,
  play,
  SPEEDS,
  setMoment,
  setMotion,
  speed,
  stepMoment,
} from "./motion";
export {
  drafted,
  dropNote,
  keepNote,
  noteLink,
  notes,
  notesProblem,
  openNote,
  playNotes,
  shiftNote,
  viewNow,
  writeNote,
} from "./notes";
export { greatest, type Options, readOptions, usual, wordsOf } from "./options";
export { ownWindows } from "./own-windows";
export { changedIn, optionIn, ownOptions, setOptionsIn, textsOf } from "./pane-options";
export { clampWindow, type Place, ranksProblem, SHORTEST_WINDOW, tidyRanks } from "./place";
export { areFolded, hasRowsOfNow, questionOf, rowNeeds, rowsAdjusted, rowsQuestion } from "./questions";
export { clearRectangle, type Rectangle, rectangle } from "./rectangle";
export { aroundSteps, fitAround, goTo, reveal, showSteps, wholeRun } from "./reveal";
export { clearRuler, type Ruler, ruler, rulerTool } from "./ruler";
export { ownEnds } from "./scale";
export { type Frame, sceneBasis, sceneParams } from "./scene-params";
export { clear, fitSelection, focusedAxis, focusedTime, showAll, showSelection } from "./select";
export { reconnected, serverGone } from "./server";
export { cancel, openTrace, type Page, page, start, traces, version } from "./session";
export { type Theme, theme, toggleTheme } from "./theme";
export { closeTour, goToStop, hasOwnEmphasis, hasWandered, moveStop, openTour, played, stopIndex, tour } from "./tour";
export { allAcross, allSteps, hasTimes, regionIds, regionOf, saw, trace, wholeTime } from "./trace";
export { brushTool, dialog, drawerOpen, flies, focusedPane, notice, say, sideInFront, typedWindow } from "./ui";
export {
  type Layout,
  needsOf,
  registerViews,
  type Source,
  specOf,
  type ViewKind,
  viewKind,
} from "./views";
export {
  acrossIn,
  acrossOf,
  canUnlink,
  goWindow,
  isOfTime,
  isWhole,
  rowWindow,
  stepWindow,
  timeWindow,
  toggleLinked,
  type WindowName,
  wholeOf,
  windowOf,
  withWindow,
} from "./windows";

/** The value of an option, as usual if nobody said otherwise. */
export function option<N extends OptionName>(name: N): OptionValues[N] {
  return optionOf(place.value.options, name);
}

/** The options of the place with a change, and without what means nothing with it. */
export function tiedOptions(change: Options): Options {
  return tied(place.value.options, place.value.selected, change).options;
}

/** Changes options; null or what is usual puts one back. What means nothing without them goes too. */
export function setOptions(change: Options, how: "push" | "live" = "push"): void {
  go(tied(place.value.options, place.value.selected, change), how);
}

/** Whether none of these options was changed. */
export function areUsual(names: readonly OptionName[]): boolean {
  return names.every((name) => !(name in place.value.options));
}

/** Puts options back to what is usual. */
export function resetOptions(names: readonly OptionName[]): void {
  setOptions(Object.fromEntries(names.map((name) => [name, undefined])));
}

/** The options among `names` that are not as usual, as a question says them. */
export function optionParams(names: readonly OptionName[]): URLSearchParams {
  return paramsOf(place.value.options, names);
}

/** The colour of a region in the current theme. */
export function regionColour(id: number): string | null {
  const region = regionOf(id);
  return region ? region[theme.value] : null;
}

/** Begins to follow the place. */
export function startState(): void {
  startSteps();
  startAnalyses();
  startStepsTime();
  startFollowing();
  startMotion();
  startNotes();
  startRuler();
}
