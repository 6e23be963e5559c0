/** All views of the page, in the order of menus and layouts. A view is added by its import and its name here. */
import { offeredViews, registerViews, viewKind, viewsInSight } from "../state/state";
import { activity } from "./activity";
import { calls } from "./calls";
import { arches, lines } from "./closer";
import { clusters } from "./clusters";
import { counters } from "./counters";
import { density } from "./density";
import { distribution } from "./distribution";
import { dragonfly } from "./dragonfly";
import { fattree } from "./fattree";
import { gantt } from "./gantt";
import { histogram } from "./histogram";
import { logical } from "./logical";
import { mappings } from "./mappings";
import { matrix } from "./matrix";
import { metric } from "./metric";
import { minimaps } from "./minimaps";
import { profile } from "./profile";
import { progress } from "./progress";
import { ranks } from "./ranks";
import { slices } from "./slices";
import { timeline } from "./timeline";
import { torus } from "./torus";
import { torus3d } from "./torus3d";
import { utilisation } from "./utilisation";
import type { View } from "./view";
import { closeup, waits } from "./waits";

registerViews([
  activity,
  calls,
  logical,
  clusters,
  metric,
  timeline,
  profile,
  histogram,
  counters,
  matrix,
  torus,
  torus3d,
  minimaps,
  slices,
  mappings,
  fattree,
  utilisation,
  dragonfly,
  progress,
  density,
  gantt,
  distribution,
  waits,
  closeup,
  ranks,
  arches,
  lines,
] satisfies View[]);

/** The views of the trace on the page that have something to show of it. */
export function views(): readonly View[] {
  return (offeredViews.value as readonly View[]).filter(({ isFor }) => isFor?.() ?? true);
}

/** The views that can be seen, each once. */
export function inSight(): readonly View[] {
  return [...new Set(viewsInSight.value as readonly View[])];
}

export function viewOf(name: string): View {
  return (viewKind(name) as View | undefined) ?? activity;
}
