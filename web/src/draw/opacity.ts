/**
 * How density becomes opacity, so that neither outliers nor crowds are lost: the formulas of `heddle render`, here for the
 * page's own controls. With D calls at a pixel and Dmax at the fullest one, opacity = least + (1 - least) * D / Dmax, or
 * with log D / log Dmax. Plain blending, which loses both, is there for comparison.
 */

export type OpacityMap = "log" | "linear" | "alpha";

/** What the page chooses; the scene has the rest. */
export interface Opacity {
  map: OpacityMap;
  /** What a single call has at least, from 0 to 1. */
  least: number;
}

export const USUAL_OPACITY: Opacity = { map: "log", least: 0.4 };

/** The opacity of a cell with `count` calls, where the fullest one has `most`; `each` is what a call blends in. */
export function opacity({ map, least }: Opacity, count: number, most: number, each: number): number {
  if (!(count > 0)) return 0;
  if (map === "alpha") return blended(each, count);
  const low = Math.max(0, Math.min(least, 1));
  // The fullest cell is full, also where log Dmax = 0.
  if (count >= most) return 1;
  const share = map === "log" ? Math.log(count) / Math.log(most) : count / most;
  return low + (1 - low) * share;
}

/** What `count` layers of opacity `each` give in a buffer of 8 bits, rounded after every one of them. */
function blended(each: number, count: number): number {
  const part = Math.max(0, Math.min(each, 1));
  let reached = 0;
  for (let layer = 0; layer < count; layer += 1) {
    const next = Math.floor(reached + (255 - reached) * part + 0.5);
    // From here on rounding swallows every further layer.
    if (next <= reached) break;
    reached = next;
  }
  return reached / 255;
}
