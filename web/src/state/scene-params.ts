/** What a scene is asked for. Reading it in an effect follows every change that matters. */
import { ANALYSES, type AnalysisName, type OptionName } from "../api/options";
import { kindOf } from "../api/selection";
import { analysis, isProvided } from "./analyses";
import { hasSteps, hasTree, isWide } from "./dock";
import { place } from "./history";
import { changed, type Options, paramsOf } from "./options";
import { areNarrow, ownOptions } from "./pane-options";
import { areFolded } from "./questions";
import { theme } from "./theme";
import { regionIds } from "./trace";
import { needsOf, specOf, type ViewKind } from "./views";
import { acrossIn, acrossOf, isOfTime, windowOf } from "./windows";

export type Frame = "pane" | "strip" | "figure";

/** All but its width and height; the pane, if there is one, may have options and a window of its own. */
export function sceneParams(frame: Frame, view: ViewKind, pane = ""): URLSearchParams {
  const { rows, ranks, highlight, hidden, selected } = place.value;
  const { source } = view;
  const params = new URLSearchParams({ frame, theme: theme.value });
  const list = (key: string, ids: number[]) => {
    if (ids.length > 0) params.set(key, ids.join(","));
  };
  if (ranks !== "") params.set("ranks", ranks);
  list("highlight", regionIds(highlight));
  list("hide", regionIds(hidden));
  // The strip is the whole run, and the ground of the brush: neither windows nor the selection change it.
  if (frame === "strip") return params;
  if (frame === "pane" && isWide.value && acrossOf(view) === "time") params.set("frame", "wide");
  if (frame === "pane" && areNarrow.value && acrossOf(view) === "time") params.set("frame", "nodes");
  if (frame === "pane" && hasTree.value && acrossOf(view) === "steps") params.set("frame", "tree");
  if (frame === "pane" && areFolded.value) params.set("names", "1");
  if (hasSteps.value) params.set("main", "1");
  for (const [name, value] of optionsOf(frame, view, ownOptions(pane))) params.set(name, value);
  if (selected !== null && !isDrawnHere(view)) params.set("select", selected);
  if (source.whole) return params;
  addWindow(params, view, pane);
  if (rows && source.ownRows !== true) params.set("rows", rows.join(":"));
  return params;
}

/** Whether the page itself draws the selection over the pictures of a view. */
function isDrawnHere({ draws }: ViewKind): boolean {
  const kind = kindOf(place.value.selected);
  return kind !== null && (draws?.includes(kind) ?? false);
}

/** Time follows steps and is followed by them: each pane asks for the window of its own axis. */
function addWindow(params: URLSearchParams, view: ViewKind, pane: string): void {
  const across = acrossIn(pane, view);
  const { time, columns, down } = place.value;
  if (across === "steps") params.set("steps", windowOf("steps").join(":"));
  else if (across !== null && across !== "time" && isOfTime(across)) params.set("time", windowOf(across).join(":"));
  else if (time) params.set("time", time.join(":"));
  if (across === "columns" && columns) params.set("columns", columns.join(":"));
  if (across === "across" && place.value.across) params.set("across", place.value.across.join(":"));
  if (across === "across" && down) params.set("down", down.join(":"));
}

/**
 * The analyses that a scene shows something of now: those that it is drawn from; with a selection, those that say more
 * about it, such as where its lateness came from; and whatever else, those by which a phase, an event or a
 * part of the machine is found.
 */
function analysesOf(view: ViewKind): readonly AnalysisName[] {
  const kind = kindOf(place.value.selected);
  if (kind === "phase" || kind === "event") return ["logical", ...specOf(view).analyses];
  if (kind === "nodes" || kind === "link") return ["network", ...specOf(view).analyses];
  if (kind === "cluster") return Object.keys(ANALYSES) as AnalysisName[];
  if (kind !== null) return specOf(view).analyses;
  return isProvided(view) ? needsOf(view) : [];
}

/** The options that a view heeds and that are not as usual; those of analyses only if it shows something of them now. */
function optionsOf(frame: Frame, view: ViewKind, own: Options): URLSearchParams {
  const { source } = view;
  const { options, analyses } = specOf(view);
  const shown = analysesOf(view);
  const used = shown.flatMap((name) => ANALYSES[name]);
  const unused = analyses.flatMap((name) => ANALYSES[name]).filter((name) => !used.includes(name));
  const isOwn = (name: OptionName) => frame !== "figure" && (source.own?.includes(name) ?? false);
  const names = [...new Set([...options, ...used])].filter((name) => !unused.includes(name) && !isOwn(name));
  const ofPane: Options = Object.fromEntries((source.perPane ?? []).map((name) => [name, own[name]]));
  return paramsOf(changed(place.value.options, { ...ofPane, ...source.adjust?.(), ...source.fixed }), names);
}

/** What a scene depends on that no parameter says: which of the results are there that it shows if they are. */
export function sceneBasis(view: ViewKind): string {
  if (place.value.selected === null) return "";
  return analysesOf(view)
    .filter((name) => analysis(name).known.value !== null)
    .join();
}
