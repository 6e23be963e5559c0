/** The layout Progress: lines above, what their nodes did below, groups and tiles beside them. */
import type { TraceInfo } from "../../../api/types";
import { type Layout, trace } from "../../../state/state";

export const PROGRESS_LAYOUT: Layout = {
  name: "progress",
  title: "Progress",
  text: "1r(770c(500progress,500gantt(node-order=group)),230c(500density,500distribution))",
  // Without tasks, what nodes did is in the timeline, and there are no tiles.
  now: () => (hasTasks(trace.value) ? null : "1r(770c(500progress,500timeline),230density)"),
  isFor: (info) => hasTasks(info) || (info.logical === true && info.ranks > 1),
  isFirst: hasTasks,
};

function hasTasks(info: TraceInfo | null): boolean {
  return (info?.tasks ?? "0") !== "0";
}
