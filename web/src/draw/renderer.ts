/**
 * What draws the marks of a scene: WebGL2 or Canvas 2D, one behind the other's face.
 *
 * Text and axes are no business of either, see `overlay.ts`.
 */
import type { Scene } from "../scene/types";
import type { View } from "./view";

export interface Renderer {
  /** For tests, and for people who wonder. */
  readonly name: "webgl" | "canvas";
  /** Takes a new scene; everything costly happens here, once. */
  show(scene: Scene | null): void;
  /** Draws background, grid and marks of the scene. Fits the canvas to the view first. */
  draw(view: View): void;
  dispose(): void;
}

/** Gives a canvas as many pixels as a view needs, and the size on the page at which each of them is one of the screen. */
export function fitCanvas(canvas: HTMLCanvasElement, view: Pick<View, "width" | "height" | "ratio">): void {
  fitSide(canvas, "width", view.width, view.ratio);
  fitSide(canvas, "height", view.height, view.ratio);
}

function fitSide(canvas: HTMLCanvasElement, side: "width" | "height", length: number, ratio: number): void {
  const pixels = Math.max(1, Math.round(length * ratio));
  // Setting a size empties a canvas and allocates anew, even when it is the same size.
  if (canvas[side] !== pixels) canvas[side] = pixels;
  const onPage = `${pixels / ratio}px`;
  if (canvas.style[side] !== onPage) canvas.style[side] = onPage;
}
