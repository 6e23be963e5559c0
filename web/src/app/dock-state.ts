/** The dock of the place, and the ways to change it. Whoever changes it makes an entry in history, so that Back undoes. */
import { computed } from "@preact/signals";
import { focusedPane } from "../panels/ui";
import { go, place } from "../state/state";
import { viewOf, views } from "../views/registry";
import { dockBoxes, type PaneBox } from "./dock-boxes";
import { type Dock, LAYOUTS, panes, parseDock, readDock, writeDock } from "./dock-tree";

export const dock = computed<Dock>(() =>
  readDock(
    place.value.layout,
    views().map((view) => view.name),
  ),
);
export const boxes = computed(() => dockBoxes(dock.value, (view) => viewOf(view).height));

export function setDock(tree: Dock, how: "push" | "live" = "push"): void {
  go({ layout: writeDock(tree) }, how);
}

/** The pane that was last used, or the largest one; of equal ones, the last. */
export function currentPane(): PaneBox | undefined {
  const all = boxes.value.panes;
  const used = all.find((pane) => pane.id === focusedPane.value);
  const area = ({ box }: PaneBox) => box.width.part * box.height.part;
  return (
    used ?? all.reduce<PaneBox | undefined>((best, one) => (best && area(best) > area(one) ? best : one), undefined)
  );
}

/** The ready-made layouts whose views the trace has. */
export function layouts(): { name: string; title: string }[] {
  const known = views().map((view) => view.name);
  return LAYOUTS.filter(({ text }) => {
    const tree = parseDock(text);
    return tree !== null && panes(tree).every(({ node }) => node.views.every((view) => known.includes(view)));
  });
}
