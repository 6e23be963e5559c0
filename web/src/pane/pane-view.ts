/** A view as a pane sees it: where its scenes come from, and what the page itself draws over them. */
import type { Selection } from "../api/selection";
import type { Opacity } from "../draw/opacity";
import type { Extras } from "../draw/overlay";
import type { View as Layout, Range } from "../draw/view";
import type { Rect, Scene, SceneScale } from "../scene/types";
import type { ViewKind } from "../state/state";

/** A picture on the screen, for those who put something over it. */
export interface Picture {
  scene: Scene;
  /** Where it lies on the canvas. */
  layout: Layout;
  /** What its horizontal axis shows. */
  window: Range;
}

export interface PaneView extends ViewKind {
  /** Whether its pictures are in space: the page turns them by itself, by the options that the view says are its own. */
  inSpace?: boolean;
  /** Whether it shows messages on their way. */
  moves?: boolean;
  /** What lies over its pictures; signals that it reads are followed. */
  marks?: (picture: Picture) => Partial<Extras>;
  /** What a rectangle of its pictures selects; without it, none can be brushed. Rows of pixels are those of the scene. */
  brush?: (rect: Rect, rows: Range, scale: SceneScale, picture: Picture) => Selection;
  /** Whether a rectangle of its pictures is an area of ranks and time, as the server says. */
  area?: boolean;
  /** Before it is first drawn in a pane of this size: true if it has changed the place, and will be asked again. */
  begin?: (size: { width: number; height: number }) => boolean;
  /** Whether what stands at the left of the plot and below it can be clicked. */
  beside?: boolean;
  /** Whether several things are selected at once: with Ctrl, or by a rectangle with Shift. */
  chooses?: boolean;
  /** Opens or closes what was double-clicked in space, by what a click on it selects; false if there is nothing to open. */
  opens?: (pane: string, select: Selection) => boolean;
  /** Opens or closes a joint of its hierarchy. Views with one take clicks at the left of the plot too. */
  toggle?: (node: number) => void;
  /** Scrolls its list in a pane, so that this line is the first in sight. */
  scrolls?: (pane: string, first: number) => void;
  /** How calls per pixel become opacity in its pictures. */
  opacity?: () => Opacity;
}

/** Where a moment, step or column lies on the canvas. */
export function pixelOf({ layout: { plot }, window }: Picture, value: number): number {
  return plot.x + ((value - window[0]) / (window[1] - window[0])) * plot.width;
}
