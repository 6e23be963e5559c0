/**
 * Bands as trapezoids, one for each pixel column.
 *
 * Edges run straight from sample to sample. A band reaches a pixel under the next one where that continues it and
 * covers what lies beneath: otherwise the background would shine through the smoothed edge between the two.
 */
import type { Band, BandLayer, Rect, Rgba } from "../scene/types";

/** Numbers of a trapezoid: left, right, upper edge left and right, lower edge left and right. */
export const TRAPEZOID = 6;

export interface Trapezoids {
  count: number;
  /** `TRAPEZOID` numbers each, in the order in which they are drawn. */
  shape: Float32Array<ArrayBuffer>;
  colour: Uint16Array<ArrayBuffer>;
}

/** All trapezoids of a layer. Where a sample is no number, the band has a gap. */
export function trapezoids(layer: BandLayer, plot: Rect, palette: readonly Rgba[]): Trapezoids {
  const { columns, bands } = layer;
  const shape = new Float32Array(columns * bands.length * TRAPEZOID);
  const colour = new Uint16Array(columns * bands.length);
  const here: Edges = { upper: 0, lower: 0 };
  const there: Edges = { upper: 0, lower: 0 };
  let count = 0;
  bands.forEach((band, index) => {
    const next = bands[index + 1];
    const cover = next !== undefined && palette[next.colour]?.[3] === 255 ? next : null;
    for (let column = 0; column < columns; column += 1) {
      if (!edges(band, cover, column, here)) continue;
      // The last sample, and one before a gap, holds for its whole column.
      if (column + 1 >= columns || !edges(band, cover, column + 1, there)) {
        there.upper = here.upper;
        there.lower = here.lower;
      }
      const x = plot.x + column;
      shape.set([x, x + 1, here.upper, there.upper, here.lower, there.lower], count * TRAPEZOID);
      colour[count] = band.colour;
      count += 1;
    }
  });
  return { count, shape: shape.subarray(0, count * TRAPEZOID), colour: colour.subarray(0, count) };
}

interface Edges {
  upper: number;
  lower: number;
}

function edges(band: Band, next: Band | null, column: number, out: Edges): boolean {
  const upper = band.upper[column] ?? Number.NaN;
  const lower = band.lower[column] ?? Number.NaN;
  if (!Number.isFinite(upper) || !Number.isFinite(lower)) return false;
  out.upper = upper;
  out.lower = lower;
  const nextUpper = next?.upper[column] ?? Number.NaN;
  const nextLower = next?.lower[column] ?? Number.NaN;
  if (Math.abs(nextUpper - lower) < 0.01) out.lower = Math.max(lower, Math.min(lower + 1, nextLower));
  else if (Math.abs(nextLower - upper) < 0.01) out.upper = Math.min(upper, Math.max(upper - 1, nextUpper));
  return true;
}
