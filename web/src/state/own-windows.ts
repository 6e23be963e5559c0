/**
 * Windows of time that panes have of their own, so that two stretches of the run can be compared side by side.
 *
 * Such a pane is unlinked from the window that all share. Its window stands in the layout beside its view, `timeline(time=5:100)`,
 * as options of a pane do: links keep it, Back undoes it, and it goes with its pane.
 */
import { computed } from "@preact/signals";
import { dock } from "./dock";
import { frontOf, ownTexts, paneIds, panes, setOwnTexts, writeDock } from "./dock-tree";
import { clampWindow, type Place, readWindow, SHORTEST_WINDOW } from "./place";
import { wholeTime } from "./trace";
import { allLayouts } from "./views";

/** The windows of unlinked panes, by their ids. */
export const ownWindows = computed<ReadonlyMap<string, [number, number]>>(() => {
  const ids = paneIds(dock.value);
  const all = panes(dock.value).flatMap(({ node }, at): [string, [number, number]][] => {
    const window = readWindow(frontOf(node).own.time ?? null, SHORTEST_WINDOW);
    return window === null ? [] : [[ids[at] ?? "", within(window)]];
  });
  return new Map(all);
});

function within(window: [number, number]): [number, number] {
  return clampWindow(window, wholeTime.value[1], SHORTEST_WINDOW);
}

/** The place with another window in a pane; null links it to that of all. */
export function withOwnWindow(pane: string, window: [number, number] | null): Pick<Place, "layout"> {
  const { time: _, ...others } = ownTexts(dock.value, pane);
  const own = window === null ? others : { ...others, time: within(window).join(":") };
  return { layout: writeDock(setOwnTexts(dock.value, pane, own), allLayouts()) };
}
