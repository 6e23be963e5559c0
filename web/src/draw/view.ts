/**
 * Where a scene lies on the canvas at this moment.
 *
 * A scene is drawn for one window and one size. While the next one is on its way, the last one is moved and stretched
 * to where its marks belong by now: one scale and one offset for each direction. This is the arithmetic of it, without
 * any canvas.
 */
import type { Point, Rect, Scene, SceneAxis } from "../scene/types";
import { type Opacity, USUAL_OPACITY } from "./opacity";

/** Canvas pixel = scene pixel * scale + offset, all in CSS pixels. */
export interface Move {
  scaleX: number;
  scaleY: number;
  offsetX: number;
  offsetY: number;
}

export interface View {
  /** Size of the canvas in CSS pixels. */
  width: number;
  height: number;
  /** Device pixels to a CSS pixel. */
  ratio: number;
  /** Where the plot is on the canvas; marks are clipped to it. */
  plot: Rect;
  move: Move;
  /** How calls per pixel become opacity. */
  opacity: Opacity;
}

/** From and to, along any axis. */
export type Range = readonly [number, number];

export const IDENTITY: Move = { scaleX: 1, scaleY: 1, offsetX: 0, offsetY: 0 };

/** The view of a scene on a canvas of some size that shows some window. `null` leaves that axis as the scene has it. */
export function viewOf(
  scene: Scene,
  canvas: { width: number; height: number; ratio: number },
  across: Range | null,
  down: Range | null,
  opacity: Opacity = USUAL_OPACITY,
): View {
  // Margins do not grow with the canvas, so the plot takes the whole difference.
  const plot = {
    x: scene.plot.x,
    y: scene.plot.y,
    width: Math.max(0, scene.plot.width + canvas.width - scene.width),
    height: Math.max(0, scene.plot.height + canvas.height - scene.height),
  };
  const axis = (one: SceneAxis) => (one.kind === "values" ? null : one);
  const x = along(scene.plot.x, scene.plot.width, plot.width, axis(scene.x), across);
  const y = along(scene.plot.y, scene.plot.height, plot.height, axis(scene.y), down);
  const move = { scaleX: x.scale, offsetX: x.offset, scaleY: y.scale, offsetY: y.offset };
  return { ...canvas, plot, move, opacity };
}

/** Scale and offset along one direction: from the scene's plot, for the axis' window, to the plot now, for `window`. */
function along(
  start: number,
  length: number,
  lengthNow: number,
  axis: { from: number; to: number } | null,
  window: Range | null,
): { scale: number; offset: number } {
  const stretch = length > 0 ? lengthNow / length : 1;
  const span = axis === null ? 0 : axis.to - axis.from;
  const spanNow = window === null ? 0 : window[1] - window[0];
  if (axis === null || window === null || span <= 0 || spanNow <= 0) {
    return { scale: stretch, offset: start - start * stretch };
  }
  const scale = (stretch * span) / spanNow;
  const offset = start + ((axis.from - window[0]) / spanNow) * lengthNow - start * scale;
  return { scale, offset };
}

/** The pixel of the scene that is at a pixel of the canvas. */
export function toScene(move: Move, at: Point): Point {
  return { x: (at.x - move.offsetX) / move.scaleX, y: (at.y - move.offsetY) / move.scaleY };
}

/** Where a rectangle of the scene lies on the canvas. */
export function toCanvas(move: Move, rect: Rect): Rect {
  return {
    x: rect.x * move.scaleX + move.offsetX,
    y: rect.y * move.scaleY + move.offsetY,
    width: rect.width * move.scaleX,
    height: rect.height * move.scaleY,
  };
}

export function contains(rect: Rect, at: Point): boolean {
  return at.x >= rect.x && at.y >= rect.y && at.x < rect.x + rect.width && at.y < rect.y + rect.height;
}
