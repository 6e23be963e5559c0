/** Panes of a fat-tree: which one was last used, and what changes with its representation. */
import { drawn, focusedPane, type Options, readOptions, usual } from "../../../state/state";

/** Another representation is another space: its camera, and what was split in it, begin anew. */
export function shownAs(as: string): Options {
  const fresh = { turn: usual("turn"), zoom: usual("zoom"), aim: usual("aim"), split: usual("split") };
  return { ...fresh, ...readOptions({ as }) };
}

/** The pane of a fat-tree that was last used, or the first. */
export function treePane(): string | null {
  const panes = [...drawn.value].filter(([, { view }]) => view === "fattree").map(([id]) => id);
  const last = focusedPane.value;
  return last !== null && panes.includes(last) ? last : (panes[0] ?? null);
}
