/** The cells of a density, spread out from the list in which they came: what textures and images want. */
import type { DensityLayer } from "../scene/types";
import { type Opacity, opacity } from "./opacity";

/** Calls at each cell, row by row. */
export function denseCounts({ columns, rows, place, count }: DensityLayer): Uint32Array<ArrayBuffer> {
  const cells = new Uint32Array(columns * rows);
  for (let at = 0; at < place.length; at += 1) cells[place[at] ?? 0] = count[at] ?? 0;
  return cells;
}

/** Red, green, blue and nothing of each cell. */
export function denseColours({ columns, rows, place, colour }: DensityLayer): Uint8Array<ArrayBuffer> {
  const cells = new Uint8Array(columns * rows * 4);
  for (let at = 0; at < place.length; at += 1) {
    const to = (place[at] ?? 0) * 4;
    cells[to] = colour[at * 3] ?? 0;
    cells[to + 1] = colour[at * 3 + 1] ?? 0;
    cells[to + 2] = colour[at * 3 + 2] ?? 0;
  }
  return cells;
}

/** Paints cells with their opacity into the pixels of an image as large as the density. */
export function paintDensity(layer: DensityLayer, how: Opacity, pixels: Uint8ClampedArray): void {
  const { place, count, colour, most, alpha } = layer;
  for (let at = 0; at < place.length; at += 1) {
    const to = (place[at] ?? 0) * 4;
    pixels[to] = colour[at * 3] ?? 0;
    pixels[to + 1] = colour[at * 3 + 1] ?? 0;
    pixels[to + 2] = colour[at * 3 + 2] ?? 0;
    pixels[to + 3] = 255 * opacity(how, count[at] ?? 0, most, alpha);
  }
}
