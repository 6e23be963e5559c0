/** The picture of the current pane as a file for a paper: drawn by the server, at the size of the pane or of a column. */
import { figureUrl } from "../api/client";
import { dialog, place, say, sceneParams } from "../state/state";
import { viewOf } from "../views/registry";
import { currentPane } from "./dock-state";
import type { Format } from "./figure-command";

/** What is asked for of the current pane; null if there is none, or it has no picture. */
export interface Asked {
  title: string;
  /** The server's name of the view. */
  view: string;
  params: URLSearchParams;
}

export function figureOfPane(): Asked | null {
  const pane = currentPane();
  const canvas = pane && document.querySelector(`[data-pane="${pane.id}"] .body`);
  if (!pane || !canvas) return null;
  const view = viewOf(pane.view);
  if (view.Body) return null;
  const params = sceneParams("figure", view, pane.id);
  params.set("width", String(Math.max(Math.round(canvas.clientWidth), 16)));
  params.set("height", String(Math.max(Math.round(canvas.clientHeight), 16)));
  return { title: view.title, view: view.source.view, params };
}

/** Saves a picture, with what else is asked of the file. */
export function saveAs({ title, view, params }: Asked, format: Format, more = new URLSearchParams()): void {
  const link = document.createElement("a");
  link.href = figureUrl(place.value.trace, view, format, new URLSearchParams([...params, ...more]));
  link.download = "";
  link.click();
  say(`Saved ${title} as ${format.toUpperCase()}.`);
}

/** Lets one choose the size on a page. */
export function showFigureDialog(): void {
  dialog.value = "figure";
}

export function saveFigure(format: Format): void {
  const asked = figureOfPane();
  if (asked === null) say("This pane is made of figures, not of a picture. Choose another one.");
  else saveAs(asked, format);
}
