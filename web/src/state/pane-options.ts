/**
 * Options that a pane has of its own: two panes of one view may look at the same machine in different ways.
 *
 * A view says which of its options belong to a pane (`perPane` of its source); all others are those of the place. They stand in the
 * layout, beside the view (see `dock-tree.ts`), so that links keep them, Back undoes them, and they go with their pane when panes
 * are split or closed.
 */
import { computed } from "@preact/signals";
import type { OptionName, OptionValues } from "../api/options";
import { dock } from "./dock";
import { frontOf, type OwnTexts, ownTexts, paneIds, panes, setOwnTexts, writeDock } from "./dock-tree";
import { go, place } from "./history";
import { changed, OPTION_NAMES, type Options, optionOf, paramsOf, readOptions, tied } from "./options";
import type { Place } from "./place";
import { allLayouts, specOf, viewKind } from "./views";

const NONE: Options = {};

/** What each pane may have of its own, and what it has, by its id. */
const owns = computed(() => {
  const [tree, ids] = [dock.value, paneIds(dock.value)];
  const all = panes(tree).map(({ node }, at) => {
    const { view, own } = frontOf(node);
    const perPane = viewKind(view)?.source.perPane ?? [];
    return [ids[at] ?? "", { perPane, own: readOwn(perPane, own) }] as const;
  });
  return new Map(all);
});

/** The options that a layout says; what is broken, or not the pane's, is left out. */
function readOwn(perPane: readonly OptionName[], own: OwnTexts): Options {
  const said = perPane.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]));
  return changed(NONE, readOptions(Object.fromEntries(said)));
}

/** The options that a pane has of its own. */
export function ownOptions(pane: string): Options {
  return owns.value.get(pane)?.own ?? NONE;
}

/**
 * Whether panes on an axis of time leave room for numbers of nodes only: no pane has rows with names. All of them leave the same
 * room, so that a moment is at one place in all.
 */
export const areNarrow = computed(() => {
  const rows = panes(dock.value).flatMap(({ node }, at) => {
    const view = viewKind(frontOf(node).view);
    const isOfRows = view !== undefined && specOf(view).x === "time" && specOf(view).y === "rows";
    return isOfRows ? [view.isNarrow?.(ownOptions(paneIds(dock.value)[at] ?? "")) ?? false] : [];
  });
  return rows.length > 0 && rows.every((isNarrow) => isNarrow);
});

/** The value of an option in a pane. */
export function optionIn<N extends OptionName>(pane: string, name: N): OptionValues[N] {
  const { perPane = [], own = NONE } = owns.value.get(pane) ?? {};
  return optionOf(perPane.includes(name) ? own : place.value.options, name);
}

/** The place with other options in a pane; those that do not belong to it are others for all. */
export function changedIn(pane: string, change: Options): Pick<Place, "layout" | "options" | "selected"> {
  const { perPane = [], own = NONE } = owns.value.get(pane) ?? {};
  const names = Object.keys(change) as OptionName[];
  const part = (isOwn: boolean): Options =>
    Object.fromEntries(names.filter((name) => perPane.includes(name) === isOwn).map((name) => [name, change[name]]));
  const shared = tied(place.value.options, place.value.selected, part(false));
  const texts = textsOf(changed(own, part(true)));
  // A layout keeps its name while nothing is said of its panes.
  const isSame = JSON.stringify(texts) === JSON.stringify(textsOf(own));
  if (isSame) return { ...shared, layout: place.value.layout };
  // What else stands there, such as a window of its own, stays.
  const others = Object.entries(ownTexts(dock.value, pane)).filter(([name]) => !isOption(name));
  const all = { ...Object.fromEntries(others), ...texts };
  return { ...shared, layout: writeDock(setOwnTexts(dock.value, pane, all), allLayouts()) };
}

/** Changes options in a pane, as `setOptions` does for all. */
export function setOptionsIn(pane: string, change: Options, how: "push" | "live" = "push"): void {
  go(changedIn(pane, change), how);
}

function isOption(name: string): boolean {
  return (OPTION_NAMES as readonly string[]).includes(name);
}

/** Options as a layout writes them. */
export function textsOf(own: Options): OwnTexts {
  return Object.fromEntries(paramsOf(own, OPTION_NAMES));
}
