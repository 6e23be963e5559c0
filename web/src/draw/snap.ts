/**
 * Which pixels a mark covers. The figures of `heddle render` follow the same rules, so that a figure is the picture on
 * the screen: edges are rounded, so that neighbours neither overlap nor leave a gap, and nothing that lies in the plot
 * vanishes for being small.
 */
import type { Tick } from "../scene/types";

/** From and to in device pixels; both 0 if nothing is to be seen. */
export interface Stretch {
  from: number;
  to: number;
}

/**
 * The device pixels of `start..start + length`, clipped to `low..high`, at least one CSS pixel long. Writes into `out`:
 * it is called for every mark.
 */
export function stretch(
  start: number,
  length: number,
  low: number,
  high: number,
  ratio: number,
  out: Stretch,
): boolean {
  const end = start + length;
  out.from = 0;
  out.to = 0;
  // An empty stretch on the very edge is inside, a longer one that only touches the edge is not.
  const inside = length > 0 ? end > low && start < high : length === 0 && start >= low && start <= high;
  if (!inside || low >= high) return false;
  const from = Math.max(start, low);
  const to = Math.min(end, high);
  if (to - from >= 1) {
    out.from = Math.round(from * ratio);
    out.to = Math.round(to * ratio);
    return true;
  }
  const pixel = Math.max(1, Math.round(ratio));
  const last = Math.round(high * ratio) - pixel;
  out.from = Math.max(Math.round(low * ratio), Math.min(Math.floor(from * ratio), last));
  out.to = out.from + pixel;
  return true;
}

/** The CSS pixel of a moved tick, or `null` if it has left the plot. The one on the far edge takes the last pixel. */
export function tickPixel(tick: Tick, scale: number, offset: number, low: number, high: number): number | null {
  const at = tick.at * scale + offset;
  if (!(at >= low - 0.5 && at <= high + 0.5)) return null;
  return Math.max(Math.round(low), Math.min(Math.floor(at), Math.round(high) - 1));
}
