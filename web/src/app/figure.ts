/** The picture of the current pane as a file for a paper: drawn by the server, at the size it has on the page. */
import { figureUrl } from "../api/client";
import { say } from "../panels/ui";
import { place, sceneParams } from "../state/state";
import { sourceOf, viewOf } from "../views/registry";
import { currentPane } from "./dock-state";

export function saveFigure(format: "png" | "svg" | "pdf"): void {
  const pane = currentPane();
  const canvas = pane && document.querySelector(`[data-pane="${pane.id}"] .body`);
  if (!pane || !canvas) return;
  const source = sourceOf(viewOf(pane.view));
  const params = sceneParams("figure", source);
  params.set("width", String(Math.max(Math.round(canvas.clientWidth), 16)));
  params.set("height", String(Math.max(Math.round(canvas.clientHeight), 16)));
  const link = document.createElement("a");
  link.href = figureUrl(place.value.trace, source.view, format, params);
  link.download = "";
  link.click();
  say(`${viewOf(pane.view).title} as ${format.toUpperCase()}.`);
}
