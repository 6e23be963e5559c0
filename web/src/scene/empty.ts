/** Whether a picture has nothing in it: then the page says why, rather than showing a blank pane. */
import type { ColourId, Layer, Rect, Scene } from "./types";

/** Marks that are wider and higher than this share of the plot are its ground. */
const GROUND = 0.99;

export function isEmptyScene({ layers, plot, background }: Scene): boolean {
  // What lies about cells are lines and frames.
  const cells = layers.filter(({ kind }) => kind === "density" || kind === "raster");
  return (cells.length > 0 ? cells : layers).every((layer) => isEmptyLayer(layer, plot, background));
}

function isEmptyLayer(layer: Layer, plot: Rect, background: ColourId): boolean {
  switch (layer.kind) {
    case "rects":
      return layer.count === 0 || (layer.count === 1 && isGround(layer.rect, plot));
    case "segments":
    case "discs":
      return layer.count === 0;
    case "bands":
      // A band in the colour of the panel is the place of what was hidden.
      return layer.bands.every(
        ({ colour, upper, lower }) => colour === background || upper.every((y, at) => !((lower[at] ?? y) > y)),
      );
    case "raster":
      return layer.strength.every((strength) => strength === 0);
    case "density":
      return layer.place.length === 0;
  }
}

function isGround(rect: Float32Array, plot: Rect): boolean {
  const [, , width = 0, height = 0] = rect;
  return width >= plot.width * GROUND && height >= plot.height * GROUND;
}
