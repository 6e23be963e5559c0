/**
 * What the state has to know about the views of the page: where each gets its scenes from, over what its axes run, what
 * has to be computed before it can be drawn. Views say so themselves: `views/registry.ts` hands their descriptions in
 * here, so that nothing below `views/` knows any of them by name.
 */
import { computed, signal } from "@preact/signals";
import { type AnalysisName, type OptionName, type OptionValues, VIEWS, type ViewSpec } from "../api/options";
import type { SelectedKind } from "../api/selection";
import type { TraceInfo } from "../api/types";
import { parseDock, readDock, viewsIn } from "./dock-tree";
import type { Options } from "./options";
import { hasTimes, trace } from "./trace";

/** Where the scenes of a view come from. */
export interface Source {
  /** The server's name of the view. */
  view: string;
  /** Options that its scenes have whatever the controls say. */
  fixed?: Partial<OptionValues>;
  /** Options that its scenes have instead of what the controls say, as things are now. */
  adjust?: () => Partial<OptionValues>;
  /** Options that the page heeds by itself when it draws; only figures are asked for with them. */
  own?: readonly OptionName[];
  /** Options that each of its panes has for itself; see `pane-options.ts`. */
  perPane?: readonly OptionName[];
  /** Whether it shows the closer window rather than that of all panes. */
  closer?: boolean;
  /** Whether its rows are a choice of its own: windows of rows are not about it. */
  ownRows?: boolean;
  /** Whether it shows the whole run whatever the windows are, and something else takes the pointer. */
  whole?: boolean;
}

/** A ready-made layout. */
export interface Layout {
  name: string;
  title: string;
  /** As in the address; see `dock-tree.ts`. */
  text: string;
  /** The same for a trace of many ranks, if that is another. */
  many?: string;
  /** The same for a run without times, if that is another. */
  timeless?: string;
  /** The same as things are now, if that is another; it goes before those above. */
  now?: () => string | null;
  /** Whether it has something to show of a trace. Without it, of every one. */
  isFor?: (info: TraceInfo) => boolean;
  /** Whether a trace is best looked at in this layout first. */
  isFirst?: (info: TraceInfo) => boolean;
  /** What to tell somebody whom the page begins with it, and where else to look; null if nothing. */
  intro?: (info: TraceInfo) => string | null;
}

/** What is loaded while a view is in front; see `followed.ts`. */
export interface Loadable {
  readonly route: string;
}

/** A view of the page as the state sees it. */
export interface ViewKind {
  /** Its name in layouts. */
  name: string;
  source: Source;
  /** Ready-made layouts that are about it. */
  layouts?: readonly Layout[];
  /** Whether panes on an axis of time leave room for what stands beside its plot. */
  wide?: boolean;
  /** Whether panes on an axis of steps leave room for a hierarchy at the left of its rows. */
  tree?: boolean;
  /** Whether its rows are others than those of the trace: nodes and workers rather than locations. */
  ownRows?: boolean;
  /** Whether its rows, with these options of a pane, need no more room at their left than numbers of nodes. */
  isNarrow?: (own: Options) => boolean;
  /** What is loaded while it is in front. */
  loads?: readonly Loadable[];
  /** The analyses that it needs as things are now; without it, all that its view of the server may need. */
  needs?: () => readonly AnalysisName[];
  /** Analyses that its panels speak of once they are there; it waits for none of them. */
  wishes?: readonly AnalysisName[];
  /** Analyses by which pictures of many calls come sooner, as things are now; it waits for none of them. */
  sooner?: () => readonly AnalysisName[];
  /** Whether it shows what is wrong with the run: closer panes look at findings then. */
  diagnoses?: boolean;
  /** Kinds of selections that the page itself draws over its pictures; the others are drawn by the server. */
  draws?: readonly SelectedKind[];
  /** Options that go along to another trace, since one goes there to compare. */
  keeps?: () => Partial<OptionValues>;
  /** Whether it can be drawn, in another way, while what it needs is not there. */
  canWait?: boolean;
}

const kinds = signal<readonly ViewKind[]>([]);

/** Makes views known. Their order is that of menus and of their layouts. */
export function registerViews(views: readonly ViewKind[]): void {
  kinds.value = views;
}

export function allViews(): readonly ViewKind[] {
  return kinds.value;
}

export function viewKind(name: string): ViewKind | undefined {
  return kinds.value.find((one) => one.name === name);
}

/** With more ranks than these, a row of its own for each is too faint to read. */
const MANY_RANKS = 2048;

const hasManyRanks = computed(() => (trace.value?.rows_main ?? trace.value?.ranks ?? 0) > MANY_RANKS);

/** All ready-made layouts, in the order of their views. */
export function allLayouts(): readonly Layout[] {
  return kinds.value.flatMap(({ layouts }) => layouts ?? []).map((layout) => ({ ...layout, text: textOf(layout) }));
}

function textOf({ text, many, timeless, now }: Layout): string {
  const said = now?.() ?? null;
  if (said !== null) return said;
  if (!hasTimes.value) return timeless ?? text;
  return hasManyRanks.value && isOffered(many) ? many : text;
}

/** Whether the trace on the page has all views of an arrangement. */
function isOffered(text: string | undefined): text is string {
  const tree = text === undefined ? null : parseDock(text);
  const offered = trace.value?.views ?? [];
  return tree !== null && viewsIn(tree).every((name) => offered.includes(viewKind(name)?.source.view ?? ""));
}

const NO_SPEC: ViewSpec = { x: "values", y: "values", options: [], analyses: [], about: "" };

/** What the server says of the view behind a view of the page. */
export function specOf({ source }: Pick<ViewKind, "source">): ViewSpec {
  return VIEWS[source.view] ?? NO_SPEC;
}

/** The analyses that a view needs now. */
export function needsOf(view: ViewKind): readonly AnalysisName[] {
  return view.needs?.() ?? specOf(view).analyses;
}

/** The views of a layout's name or text, those of tabs behind others too. */
export function viewsOf(layout: string): ViewKind[] {
  const names = kinds.value.map(({ name }) => name);
  return viewsIn(readDock(layout, names, allLayouts())).flatMap((name) => viewKind(name) ?? []);
}

/** Whether a layout has rows of its own kind. */
export function hasOwnRows(layout: string): boolean {
  return viewsOf(layout).some(({ ownRows }) => ownRows === true);
}

/** Whether a layout has an axis of steps. Such a layout shows main locations only, so that all its panes share rows. */
export function showsSteps(layout: string): boolean {
  return viewsOf(layout).some((view) => specOf(view).x === "steps");
}
