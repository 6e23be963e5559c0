/**
 * A scene as the page holds it: what a view looks like at a given size, in CSS pixels, y downwards.
 *
 * Arrays are views into the buffer that came over the wire; nothing is copied. `decode.ts` has checked that they are as
 * long as they must be and that every colour is in the palette, so whoever draws need not look again.
 */

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

/** Position of a colour in the palette. */
export type ColourId = number;

/** Red, green, blue, opacity, each from 0 to 255. */
export type Rgba = readonly [number, number, number, number];

export interface Tick {
  /** In pixels of the scene, along the axis. */
  at: number;
  /** Hostile text. */
  label: string;
}

export interface SceneAxis {
  title: string;
  ticks: Tick[];
  /** What the axis measures. All but values can be navigated; lines of a list scroll. */
  kind: "time" | "steps" | "rows" | "lines" | "columns" | "across" | "down" | "values";
  /** Nanoseconds, steps or places at the left or upper edge of the plot, or the first row or column; 0 for values. */
  from: number;
  /** Nanoseconds, steps or places at the other edge, or one row or column beyond the last; 0 for values. */
  to: number;
  /** How many rows there are in all under the filter, how many columns, steps or places; 0 where there are none. */
  count: number;
  /** Which value is where, if a rectangle of values can be chosen. */
  scale: SceneScale | null;
}

/** Which value is where on a vertical axis. */
export interface SceneScale {
  /** The values at `top` and at `bottom`. */
  upper: number;
  lower: number;
  spacing: "log" | "linear";
  /** Pixels of the scene. */
  top: number;
  bottom: number;
}

/** The colour of each mark or cell: one byte each while the palette is short, else two. */
export type ColourIds = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer>;

export interface RectLayer {
  kind: "rects";
  count: number;
  /** x, y, width, height of each. */
  rect: Float32Array<ArrayBuffer>;
  colour: ColourIds;
}

export interface SegmentLayer {
  kind: "segments";
  count: number;
  /** x0, y0, x1, y1, width of each. */
  line: Float32Array<ArrayBuffer>;
  colour: ColourIds;
}

export interface DiscLayer {
  kind: "discs";
  count: number;
  /** x and y of the middle, and radius of each. */
  disc: Float32Array<ArrayBuffer>;
  colour: ColourIds;
}

export interface Band {
  colour: ColourId;
  /** y of the edge at `plot.x + i`; not a number where the band has a gap. */
  upper: Float32Array<ArrayBuffer>;
  lower: Float32Array<ArrayBuffer>;
}

export interface BandLayer {
  kind: "bands";
  columns: number;
  bands: Band[];
}

export interface RasterLayer {
  kind: "raster";
  columns: number;
  rows: number;
  /** Row by row from the upper left; the cells divide the plot evenly. */
  colour: ColourIds;
  /** Opacity of each cell, 0 to 255. */
  strength: Uint8Array<ArrayBuffer>;
}

export interface DensityLayer {
  kind: "density";
  columns: number;
  rows: number;
  /** Calls at the fullest cell. */
  most: number;
  /** How a figure turns counts into opacity, the share of a single call when blending, and the least opacity. */
  map: "log" | "linear" | "alpha";
  alpha: number;
  least: number;
  /** Cells with calls, row by row from the upper left; the cells divide the plot evenly. */
  place: Uint32Array<ArrayBuffer>;
  /** Calls at each of them. */
  count: Uint32Array<ArrayBuffer>;
  /** Red, green and blue of each of them. */
  colour: Uint8Array<ArrayBuffer>;
}

export type Layer = RectLayer | SegmentLayer | DiscLayer | BandLayer | RasterLayer | DensityLayer;

export interface Label {
  /** On the baseline. */
  at: Point;
  /** Hostile text. */
  text: string;
  size: number;
  colour: ColourId;
  anchor: "start" | "middle" | "end";
}

export interface LegendEntry {
  colour: ColourId;
  name: string;
  value: string;
}

/** Colours of a range of values, evenly spaced. */
export interface ColourBar {
  /** Hostile text. */
  title: string;
  colours: ColourId[];
  from: number;
  to: number;
  fromText: string;
  toText: string;
}

/** Colours of everything that is not data. */
export interface Ink {
  strong: ColourId;
  text: ColourId;
  faint: ColourId;
  line: ColourId;
  grid: ColourId;
}

export interface Scene {
  width: number;
  height: number;
  background: ColourId;
  palette: Rgba[];
  title: string;
  plot: Rect;
  x: SceneAxis;
  y: SceneAxis;
  layers: Layer[];
  /** What stands outside the plot and does not move with it. */
  beside: RectLayer | null;
  labels: Label[];
  legend: LegendEntry[];
  colourBar: ColourBar | null;
  legendArea: Rect;
  notes: string[];
  ink: Ink;
}
