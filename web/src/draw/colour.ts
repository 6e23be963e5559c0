/** Colours of a palette, in the forms that canvases want. */
import type { ColourId, Rgba, Scene } from "../scene/types";

const NOTHING: Rgba = [0, 0, 0, 0];

export function colourOf(scene: Scene, id: ColourId): Rgba {
  return scene.palette[id] ?? NOTHING;
}

/** For CSS and for Canvas 2D. */
export function css([red, green, blue, alpha]: Rgba): string {
  return `rgb(${red} ${green} ${blue} / ${alpha / 255})`;
}

/** One colour over another, both with their opacity. */
export function over(above: Rgba, below: Rgba): Rgba {
  const share = above[3] / 255;
  const rest = (below[3] / 255) * (1 - share);
  const opacity = share + rest;
  if (opacity === 0) return NOTHING;
  const mix = (a: number, b: number) => Math.round((a * share + b * rest) / opacity);
  return [mix(above[0], below[0]), mix(above[1], below[1]), mix(above[2], below[2]), Math.round(opacity * 255)];
}
