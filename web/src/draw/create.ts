/**
 * Chooses what draws.
 *
 * WebGL moves a million cells in a fraction of a millisecond; Canvas 2D is there for machines without it, such as some
 * remote desktops. `?renderer=canvas` asks for it, to compare the two or to get around a broken driver.
 */
import { Canvas2dRenderer } from "./canvas2d";
import type { Renderer } from "./renderer";
import { WebglRenderer } from "./webgl";

/** The best renderer there is. `onRestored` is called when the picture was lost and has to be drawn again. */
export function createRenderer(canvas: HTMLCanvasElement, onRestored: () => void): Renderer {
  if (new URLSearchParams(location.search).get("renderer") !== "canvas") {
    const gl = canvas.getContext("webgl2", { antialias: false, depth: false, stencil: false });
    if (gl !== null) return new WebglRenderer(canvas, gl, onRestored);
  }
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("This browser can draw on no canvas, neither with WebGL2 nor in 2D.");
  return new Canvas2dRenderer(canvas, context);
}
