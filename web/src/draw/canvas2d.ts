/**
 * Draws marks with Canvas 2D, where WebGL2 is missing.
 *
 * Forty thousand rectangles take tens of milliseconds here. So they are painted once, on a canvas of their own, and a
 * frame only places that picture: coarse while a scene is moved, but as fast as with a graphics card.
 */
import type {
  BandLayer,
  DensityLayer,
  DiscLayer,
  Layer,
  RasterLayer,
  Rect,
  RectLayer,
  Scene,
  SegmentLayer,
} from "../scene/types";
import { TRAPEZOID, trapezoids } from "./bands";
import { colourOf, css } from "./colour";
import { paintDensity } from "./density";
import { type Opacity, USUAL_OPACITY } from "./opacity";
import { fitCanvas, type Renderer } from "./renderer";
import { type Stretch, stretch, tickPixel } from "./snap";
import { toCanvas, type View } from "./view";

type Context = CanvasRenderingContext2D;

export class Canvas2dRenderer implements Renderer {
  readonly name = "canvas";
  private scene: Scene | null = null;
  /** The marks, painted for `painted` device pixels to a CSS pixel; 0 before they are. */
  private readonly picture = document.createElement("canvas");
  private painted = 0;
  private opacity = USUAL_OPACITY;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly context: Context,
  ) {}

  show(scene: Scene | null): void {
    this.scene = scene;
    this.painted = 0;
  }

  draw(view: View): void {
    const { context, scene } = this;
    fitCanvas(this.canvas, view);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (scene === null) return;
    context.fillStyle = css(colourOf(scene, scene.background));
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.grid(scene, view);
    if (scene.plot.width < 1 || scene.plot.height < 1) return;
    const { map, least } = view.opacity;
    const isSame = this.painted === view.ratio && map === this.opacity.map && least === this.opacity.least;
    if (!isSame) this.paint(scene, view.ratio, view.opacity);
    const clip = onPixels(view.plot, view.ratio);
    const at = onPixels(toCanvas(view.move, scene.plot), view.ratio);
    context.save();
    context.beginPath();
    context.rect(clip.x, clip.y, clip.width, clip.height);
    context.clip();
    context.imageSmoothingEnabled = false;
    context.drawImage(this.picture, at.x, at.y, at.width, at.height);
    context.restore();
  }

  private grid(scene: Scene, { plot, move, ratio }: View): void {
    this.context.fillStyle = css(colourOf(scene, scene.ink.grid));
    for (const tick of scene.x.ticks) {
      const at = tickPixel(tick, move.scaleX, move.offsetX, plot.x, plot.x + plot.width);
      if (at !== null) this.fill(onPixels({ x: at, y: plot.y, width: 1, height: plot.height }, ratio));
    }
    for (const tick of scene.y.ticks) {
      const at = tickPixel(tick, move.scaleY, move.offsetY, plot.y, plot.y + plot.height);
      if (at !== null) this.fill(onPixels({ x: plot.x, y: at, width: plot.width, height: 1 }, ratio));
    }
  }

  private fill({ x, y, width, height }: Rect): void {
    this.context.fillRect(x, y, width, height);
  }

  private paint(scene: Scene, ratio: number, opacity: Opacity): void {
    this.painted = ratio;
    this.opacity = opacity;
    const { x, y, width, height } = onPixels(scene.plot, ratio);
    this.picture.width = Math.max(1, width);
    this.picture.height = Math.max(1, height);
    const context = this.picture.getContext("2d");
    if (context === null) return;
    // Device pixels of the whole canvas: marks are rounded to the same ones as with WebGL.
    context.translate(-x, -y);
    const brush = new Brush(context, scene, ratio, opacity);
    for (const layer of scene.layers) brush.layer(layer);
  }

  dispose(): void {
    this.scene = null;
    this.picture.width = 0;
  }
}

/** A rectangle of CSS pixels in whole device pixels. */
function onPixels({ x, y, width, height }: Rect, ratio: number): Rect {
  const [left, top] = [Math.round(x * ratio), Math.round(y * ratio)];
  return {
    x: left,
    y: top,
    width: Math.round((x + width) * ratio) - left,
    height: Math.round((y + height) * ratio) - top,
  };
}

/** Paints layers in device pixels. */
class Brush {
  private readonly colours: string[];
  private readonly plot: Rect;
  private readonly across: Stretch = { from: 0, to: 0 };
  private readonly down: Stretch = { from: 0, to: 0 };
  private used = -1;

  constructor(
    private readonly context: Context,
    private readonly scene: Scene,
    private readonly ratio: number,
    private readonly opacity: Opacity,
  ) {
    this.colours = scene.palette.map(css);
    this.plot = scene.plot;
  }

  layer(layer: Layer): void {
    if (layer.kind === "rects") this.rects(layer);
    else if (layer.kind === "segments") this.segments(layer);
    else if (layer.kind === "discs") this.discs(layer);
    else if (layer.kind === "bands") this.bands(layer);
    else if (layer.kind === "raster") this.raster(layer);
    else this.density(layer);
  }

  /** Setting a style parses a colour; neighbours mostly share theirs. */
  private use(colour: number): void {
    if (colour === this.used) return;
    this.used = colour;
    this.context.fillStyle = this.colours[colour] ?? "transparent";
    this.context.strokeStyle = this.context.fillStyle;
  }

  private area(x: number, y: number, width: number, height: number): void {
    const { across, down, plot, ratio } = this;
    if (!stretch(x, width, plot.x, plot.x + plot.width, ratio, across)) return;
    if (!stretch(y, height, plot.y, plot.y + plot.height, ratio, down)) return;
    this.context.fillRect(across.from, down.from, across.to - across.from, down.to - down.from);
  }

  private rects({ count, rect, colour }: RectLayer): void {
    for (let at = 0; at < count; at += 1) {
      const first = at * 4;
      this.use(colour[at] ?? 0);
      this.area(rect[first] ?? 0, rect[first + 1] ?? 0, rect[first + 2] ?? 0, rect[first + 3] ?? 0);
    }
  }

  private segments({ count, line, colour }: SegmentLayer): void {
    const { context, ratio } = this;
    for (let at = 0; at < count; at += 1) {
      const first = at * 5;
      const [x0, y0] = [line[first] ?? 0, line[first + 1] ?? 0];
      const [x1, y1] = [line[first + 2] ?? 0, line[first + 3] ?? 0];
      const width = line[first + 4] ?? 1;
      this.use(colour[at] ?? 0);
      if (x0 === x1 || y0 === y1) {
        // Along an axis: crisp. Thin lines fill the pixel in which they lie, thicker ones lie around their middle.
        const aside = width > 1 ? width : 0;
        if (y0 !== y1) this.area(x0 - aside / 2, Math.min(y0, y1), aside, Math.abs(y1 - y0));
        else this.area(Math.min(x0, x1), y0 - aside / 2, Math.abs(x1 - x0), aside);
        continue;
      }
      context.lineWidth = Math.max(width, 0.25) * ratio;
      context.beginPath();
      context.moveTo(x0 * ratio, y0 * ratio);
      context.lineTo(x1 * ratio, y1 * ratio);
      context.stroke();
    }
  }

  private discs({ count, disc, colour }: DiscLayer): void {
    const { context, ratio } = this;
    for (let at = 0; at < count; at += 1) {
      const [x, y, radius] = [disc[at * 3] ?? 0, disc[at * 3 + 1] ?? 0, disc[at * 3 + 2] ?? 0];
      this.use(colour[at] ?? 0);
      context.beginPath();
      context.arc(x * ratio, y * ratio, Math.max(radius, 0) * ratio, 0, 2 * Math.PI);
      context.fill();
    }
  }

  private bands(layer: BandLayer): void {
    const { count, shape, colour } = trapezoids(layer, this.plot, this.scene.palette);
    let first = 0;
    for (let at = 1; at <= count; at += 1) {
      const left = shape[at * TRAPEZOID];
      const isNext = at < count && left === shape[(at - 1) * TRAPEZOID + 1] && colour[at] === colour[first];
      if (isNext) continue;
      this.use(colour[first] ?? 0);
      this.band(shape.subarray(first * TRAPEZOID, at * TRAPEZOID));
      first = at;
    }
  }

  /** Trapezoids side by side as one path: smoothed one by one, they would leave seams between them. */
  private band(shape: Float32Array): void {
    const { context, ratio } = this;
    const corner = (at: number, side: number, edge: number) =>
      context.lineTo((shape[at + side] ?? 0) * ratio, (shape[at + edge] ?? 0) * ratio);
    context.beginPath();
    for (let at = 0; at < shape.length; at += TRAPEZOID) {
      corner(at, 0, 2);
      corner(at, 1, 3);
    }
    for (let at = shape.length - TRAPEZOID; at >= 0; at -= TRAPEZOID) {
      corner(at, 1, 5);
      corner(at, 0, 4);
    }
    context.fill();
  }

  private raster({ columns, rows, colour, strength }: RasterLayer): void {
    this.cells(columns, rows, (data) => {
      const pixels = new Uint32Array(data.buffer);
      const packed = Uint32Array.from(this.scene.palette, ([red, green, blue]) => red | (green << 8) | (blue << 16));
      const alpha = Uint8Array.from(this.scene.palette, ([, , , opacity]) => opacity);
      for (let at = 0; at < pixels.length; at += 1) {
        const id = colour[at] ?? 0;
        const opacity = Math.round(((alpha[id] ?? 0) * (strength[at] ?? 0)) / 255);
        pixels[at] = (packed[id] ?? 0) | (opacity << 24);
      }
    });
  }

  private density(layer: DensityLayer): void {
    this.cells(layer.columns, layer.rows, (data) => paintDensity(layer, this.opacity, data));
  }

  /** Cells that divide the plot evenly: an image of one pixel each, stretched over it. */
  private cells(columns: number, rows: number, fill: (pixels: Uint8ClampedArray<ArrayBuffer>) => void): void {
    if (columns === 0 || rows === 0) return;
    const cells = document.createElement("canvas");
    cells.width = columns;
    cells.height = rows;
    const context = cells.getContext("2d");
    if (context === null) return;
    const image = context.createImageData(columns, rows);
    fill(image.data as Uint8ClampedArray<ArrayBuffer>);
    context.putImageData(image, 0, 0);
    this.context.imageSmoothingEnabled = false;
    const at = onPixels(this.plot, this.ratio);
    this.context.drawImage(cells, at.x, at.y, at.width, at.height);
  }
}
