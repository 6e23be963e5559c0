/** All views of the page. A view that the server does not know of is not offered. */
import { type Source, trace } from "../state/state";
import { activity } from "./activity";
import { arches, calls, lines } from "./calls";
import { timeline } from "./timeline";
import type { View } from "./view";

const VIEWS: View[] = [activity, calls, timeline, arches, lines];

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
