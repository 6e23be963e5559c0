/** Where the panes of the dock lie, and which of them was last used. */
import { computed } from "@preact/signals";
import { dock, focusedPane } from "../state/state";
import { viewOf } from "../views/registry";
import { dockBoxes, type PaneBox } from "./dock-boxes";

export const boxes = computed(() => dockBoxes(dock.value, (view) => viewOf(view).height));

/** The pane that was last used, or the largest one; of equal ones, the last. */
export function currentPane(): PaneBox | undefined {
  const all = boxes.value.panes;
  const used = all.find((pane) => pane.id === focusedPane.value);
  const area = ({ box }: PaneBox) => box.width.part * box.height.part;
  return (
    used ?? all.reduce<PaneBox | undefined>((best, one) => (best && area(best) > area(one) ? best : one), undefined)
  );
}
