/** The dock of the place: which views are on the page, and which of them are in front. */
import { computed } from "@preact/signals";
import { type Dock, parseDock, readDock, viewsIn, viewsInFront, withoutOwn, writeDock } from "./dock-tree";
import { go, place } from "./history";
import { trace } from "./trace";
import { allLayouts, allViews, type Layout, specOf, type ViewKind, viewKind, viewsOf } from "./views";

/** The views that the trace on the page has. One that the server does not know of is not offered. */
export const offeredViews = computed<readonly ViewKind[]>(() => {
  const offered = trace.value?.views;
  return offered ? allViews().filter(({ source }) => offered.includes(source.view)) : allViews();
});

const offeredNames = computed(() => offeredViews.value.map(({ name }) => name));

export const dock = computed<Dock>(() => readDock(place.value.layout, offeredNames.value, allLayouts()));

/** Shows another arrangement of panes. Each is an entry in history, so that Back undoes it. */
export function setDock(tree: Dock, how: "push" | "live" = "push"): void {
  go({ layout: writeDock(tree, allLayouts()) }, how);
}

/** The name of the layout on the page, whatever options its panes have of their own; its text if it is somebody's own. */
export function layoutNow(): string {
  const bare = (text: string) => {
    const tree = parseDock(text);
    return tree === null ? text : writeDock(withoutOwn(tree), []);
  };
  return writeDock(
    withoutOwn(dock.value),
    allLayouts().map(({ name, text }) => ({ name, text: bare(text) })),
  );
}

/** The ready-made layouts whose views the trace has, and that have something to show of it; and the one that a link named. */
export function offeredLayouts(): Layout[] {
  const info = trace.value;
  return allLayouts().filter(({ name, text, isFor }) => {
    const tree = parseDock(text);
    const isUsual = info === null || (isFor?.(info) ?? true) || place.value.layout === name;
    return isUsual && tree !== null && viewsIn(tree).every((view) => offeredNames.value.includes(view));
  });
}

/** The views of panes that can be seen. */
export const viewsInSight = computed<readonly ViewKind[]>(() =>
  viewsInFront(dock.value).flatMap((name) => viewKind(name) ?? []),
);

/** All views of the place, those of tabs behind others too. Those of windows are linked whether they are seen or not. */
export const viewsHere = computed<readonly ViewKind[]>(() => viewsOf(place.value.layout));

/** Whether the page has an axis of steps. */
export const hasSteps = computed(() => viewsHere.value.some((view) => specOf(view).x === "steps"));

/** Whether panes on an axis of time leave room beside their plots. */
export const isWide = computed(() => viewsHere.value.some(({ wide }) => wide === true));

/** Whether panes on an axis of steps leave room for a hierarchy of rows. */
export const hasTree = computed(() => viewsHere.value.some(({ tree }) => tree === true));

/** Whether a pane shows the closer window. */
export const hasCloser = computed(() => viewsInSight.value.some(({ source }) => source.closer === true));

/** Whether the page is about what is wrong with the run. */
export const hasDiagnosis = computed(() => viewsHere.value.some(({ diagnoses }) => diagnoses === true));
