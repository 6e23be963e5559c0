/** All views of the page. A view that the server does not know of is not offered. */
import { hasSteps, type Source, trace } from "../state/state";
import { activity } from "./activity";
import { arches, calls, lines } from "./calls";
import { logical } from "./logical";
import { metric } from "./metric";
import { timeline } from "./timeline";
import type { View } from "./view";

const VIEWS: View[] = [activity, calls, timeline, logical, metric, arches, lines];

/** The views of the trace on the page. */
export function views(): View[] {
  const offered = trace.value?.views;
  return offered ? VIEWS.filter((view) => offered.includes(sourceOf(view).view)) : VIEWS;
}

/** Where the scenes of a view come from. */
export function sourceOf({ name, source }: View): Source {
  if (source) return source;
  const known = PLAIN.get(name) ?? { view: name };
  PLAIN.set(name, known);
  return known;
}

/** One object a view, so that a pane does not begin anew with every render. */
const PLAIN = new Map<string, Source>();

export function viewOf(name: string): View {
  return VIEWS.find((view) => view.name === name) ?? { name, title: name, about: "", y: "value" };
}

/** The name of a view on the page as it is now. */
export function titleOf({ title, titleBeside }: View): string {
  return hasSteps.value ? (titleBeside ?? title) : title;
}
