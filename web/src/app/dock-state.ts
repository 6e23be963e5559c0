/** The dock of the place, and the ways to change it. Whoever changes it makes an entry in history, so that Back undoes. */
import { computed } from "@preact/signals";
import { focusedPane } from "../panels/ui";
import { go, place } from "../state/state";
import { views } from "../views/registry";
import { dockBoxes, type PaneBox } from "./dock-boxes";
import { type Dock, LAYOUTS, panes, parseDock, readDock, writeDock } from "./dock-tree";

export const dock = computed<Dock>(() =>
  readDock(
    place.value.layout,
    views().map((view) => view.name),
  ),
);
export const boxes = computed(() => dockBoxes(dock.value));

export function setDock(tree: Dock, how: "push" | "live" = "push"): void {
  go({ layout: writeDock(tree) }, how);
}

/** The pane that was last used, or the last one, which is the largest in ready-made layouts. */
export function currentPane(): PaneBox | undefined {
  const all = boxes.value.panes;
  return all.find((pane) => pane.id === focusedPane.value) ?? all.at(-1);
}

/** The ready-made layouts whose views the trace has. */
export function layouts(): { name: string; title: string }[] {
  const known = views().map((view) => view.name);
  return LAYOUTS.filter(({ text }) => {
    const tree = parseDock(text);
    return tree !== null && panes(tree).every(({ node }) => node.views.every((view) => known.includes(view)));
  });
}
