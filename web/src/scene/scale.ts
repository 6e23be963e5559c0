/** From pixels of a scene to the values of its vertical axis, and back. */
import type { SceneScale } from "./types";

export function valueAtY({ upper, lower, spacing, top, bottom }: SceneScale, y: number): number {
  const share = Math.max(0, Math.min((bottom - y) / (bottom - top), 1));
  return spacing === "log" ? lower * (upper / lower) ** share : lower + share * (upper - lower);
}

/** Values beyond the ends lie on them. */
export function yOfValue({ upper, lower, spacing, top, bottom }: SceneScale, value: number): number {
  const span = spacing === "log" ? Math.log(upper / lower) : upper - lower;
  const along = spacing === "log" ? Math.log(Math.max(value, 1e-9) / lower) : value - lower;
  const share = span === 0 ? 0 : Math.max(0, Math.min(along / span, 1));
  return bottom - share * (bottom - top);
}
