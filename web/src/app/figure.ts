/** The picture of the current pane as a file for a paper: drawn by the server, at the size it has on the page. */
import { figureUrl } from "../api/client";
import { place, say, sceneParams } from "../state/state";
import { viewOf } from "../views/registry";
import { currentPane } from "./dock-state";

export function saveFigure(format: "png" | "svg" | "pdf"): void {
  const pane = currentPane();
  const canvas = pane && document.querySelector(`[data-pane="${pane.id}"] .body`);
  if (!pane || !canvas) return;
  const view = viewOf(pane.view);
  if (view.Body) {
    say("This pane is made of figures, not of a picture. Choose another one.");
    return;
  }
  const params = sceneParams("figure", view, pane.id);
  params.set("width", String(Math.max(Math.round(canvas.clientWidth), 16)));
  params.set("height", String(Math.max(Math.round(canvas.clientHeight), 16)));
  const link = document.createElement("a");
  link.href = figureUrl(place.value.trace, view.source.view, format, params);
  link.download = "";
  link.click();
  say(`Saved ${view.title} as ${format.toUpperCase()}.`);
}
