/** All views of the page. A view that the server does not know of is not offered. */
import { trace } from "../state/state";
import { activity } from "./activity";
import { timeline } from "./timeline";
import type { View } from "./view";

const VIEWS: View[] = [activity, timeline];

/** The views of the trace on the page. */
export function views(): View[] {
  const offered = trace.value?.views;
  return offered ? VIEWS.filter((view) => offered.includes(view.name)) : VIEWS;
}

export function viewOf(name: string): View {
  return VIEWS.find((view) => view.name === name) ?? { name, title: name, about: "", y: "value" };
}
