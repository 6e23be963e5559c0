/**
 * Layers on the graphics card: each is uploaded once, straight from the arrays that came over the wire, and then only
 * drawn. Every layer is one draw call.
 */
import type {
  BandLayer,
  ColourIds,
  DensityLayer,
  DiscLayer,
  Layer,
  RasterLayer,
  Rect,
  RectLayer,
  Rgba,
  Scene,
  SegmentLayer,
} from "../scene/types";
import { trapezoids } from "./bands";
import { denseColours, denseCounts } from "./density";
import type { Opacity } from "./opacity";
import { ROW, VERTICES } from "./shaders";

type Gl = WebGL2RenderingContext;

/** Names of the programs, one for each kind of layer. */
export type Kind = Layer["kind"];

/** Uniforms that only some kinds of layers have. */
export interface Places {
  area: WebGLUniformLocation | null;
  tone: WebGLUniformLocation | null;
}

export interface Uploaded {
  readonly kind: Kind;
  /** Draws with the program of its kind in use. */
  draw(places: Places, opacity: Opacity): void;
  free(): void;
}

/** Units in which textures wait; the palette is bound once for all. */
export const UNIT = { palette: 0, cells: 1, strength: 2, shape: 3 } as const;

const PALETTE_WIDTH = 256;

export function uploadPalette(gl: Gl, palette: readonly Rgba[]): WebGLTexture {
  const rows = Math.max(1, Math.ceil(palette.length / PALETTE_WIDTH));
  const bytes = new Uint8Array(rows * PALETTE_WIDTH * 4);
  palette.forEach((colour, at) => {
    bytes.set(colour, at * 4);
  });
  const made = texture(gl, UNIT.palette, gl.RGBA8, PALETTE_WIDTH, rows);
  gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, PALETTE_WIDTH, rows, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  return made;
}

export function uploadLayer(gl: Gl, layer: Layer, scene: Scene): Uploaded {
  switch (layer.kind) {
    case "rects":
      return uploadRects(gl, layer);
    case "segments":
      return uploadSegments(gl, layer);
    case "discs":
      return uploadDiscs(gl, layer);
    case "bands":
      return uploadBands(gl, layer, scene);
    case "raster":
      return uploadRaster(gl, layer, scene.plot);
    case "density":
      return uploadDensity(gl, layer, scene.plot);
  }
}

function uploadRects(gl: Gl, { count, rect, colour }: RectLayer): Uploaded {
  return uploadMarks(gl, "rects", count, numbers(gl, gl.RGBA32F, gl.RGBA, 4, rect), colour);
}

function uploadSegments(gl: Gl, { count, line, colour }: SegmentLayer): Uploaded {
  return uploadMarks(gl, "segments", count, numbers(gl, gl.R32F, gl.RED, 1, line), colour);
}

function uploadDiscs(gl: Gl, { count, disc, colour }: DiscLayer): Uploaded {
  return uploadMarks(gl, "discs", count, numbers(gl, gl.R32F, gl.RED, 1, disc), colour);
}

function uploadBands(gl: Gl, layer: BandLayer, scene: Scene): Uploaded {
  const { count, shape, colour } = trapezoids(layer, scene.plot, scene.palette);
  return uploadMarks(gl, "bands", count, numbers(gl, gl.RG32F, gl.RG, 2, shape), colour);
}

/** Marks of one kind: two triangles each, their numbers and colours in two textures. */
function uploadMarks(gl: Gl, kind: Kind, count: number, shape: WebGLTexture, colour: ColourIds): Uploaded {
  const array = gl.createVertexArray();
  const { inside, type } = idTexture(gl, colour);
  const cells = texture(gl, UNIT.cells, inside, ROW, rowsFor(gl, colour.length));
  fill(gl, gl.RED_INTEGER, type, 1, colour);
  return {
    kind,
    draw() {
      bind(gl, UNIT.shape, shape);
      bind(gl, UNIT.cells, cells);
      gl.bindVertexArray(array);
      gl.drawArrays(gl.TRIANGLES, 0, count * VERTICES);
    },
    free() {
      gl.deleteTexture(shape);
      gl.deleteTexture(cells);
      gl.deleteVertexArray(array);
    },
  };
}

/** What a layer of cells has for each of them: two textures, and uniforms of its own. */
interface Cells {
  columns: number;
  rows: number;
  /** Fills the textures, which are bound. */
  cells: () => WebGLTexture;
  strength: () => WebGLTexture;
  uniforms?: (places: Places, opacity: Opacity) => void;
}

/** Cells that divide the plot evenly: one rectangle, and what each cell is in textures. */
function uploadCells(gl: Gl, kind: Kind, plot: Rect, layer: Cells): Uploaded {
  const { columns, rows } = layer;
  if (columns === 0 || rows === 0) return { kind, draw: () => {}, free: () => {} };
  checkSize(gl, Math.max(columns, rows));
  const array = gl.createVertexArray();
  const [cells, strength] = [layer.cells(), layer.strength()];
  return {
    kind,
    draw(places, opacity) {
      gl.uniform4f(places.area, plot.x, plot.y, plot.width, plot.height);
      layer.uniforms?.(places, opacity);
      bind(gl, UNIT.cells, cells);
      bind(gl, UNIT.strength, strength);
      gl.bindVertexArray(array);
      gl.drawArrays(gl.TRIANGLES, 0, VERTICES);
    },
    free() {
      gl.deleteTexture(cells);
      gl.deleteTexture(strength);
      gl.deleteVertexArray(array);
    },
  };
}

/** How texels lie on the graphics card, and how they come. */
type Format = [inside: number, format: number, type: number];

/** A texture of one texel per cell. */
function cellTexture(
  gl: Gl,
  unit: number,
  { columns, rows }: { columns: number; rows: number },
  [inside, format, type]: Format,
  data: ArrayBufferView,
): WebGLTexture {
  const made = texture(gl, unit, inside, columns, rows);
  gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, columns, rows, format, type, data);
  return made;
}

function uploadRaster(gl: Gl, layer: RasterLayer, plot: Rect): Uploaded {
  const { columns, rows, colour, strength } = layer;
  const { inside, type } = idTexture(gl, colour);
  return uploadCells(gl, "raster", plot, {
    columns,
    rows,
    cells: () => cellTexture(gl, UNIT.cells, layer, [inside, gl.RED_INTEGER, type], colour),
    strength: () => cellTexture(gl, UNIT.strength, layer, [gl.R8, gl.RED, gl.UNSIGNED_BYTE], strength),
  });
}

const MAPS = { log: 0, linear: 1, alpha: 2 } as const;

/** Counts as whole numbers and colours beside them; opacity is made of both only when it is drawn. */
function uploadDensity(gl: Gl, layer: DensityLayer, plot: Rect): Uploaded {
  const { columns, rows, most, alpha } = layer;
  const counts: Format = [gl.R32UI, gl.RED_INTEGER, gl.UNSIGNED_INT];
  const colours: Format = [gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE];
  return uploadCells(gl, "density", plot, {
    columns,
    rows,
    cells: () => cellTexture(gl, UNIT.cells, layer, counts, denseCounts(layer)),
    strength: () => cellTexture(gl, UNIT.strength, layer, colours, denseColours(layer)),
    uniforms: ({ tone }, { map, least }) => gl.uniform4f(tone, MAPS[map], least, most, alpha),
  });
}

/** How ids of colours lie in a texture: as wide as they came. */
function idTexture(gl: Gl, ids: ColourIds): { inside: number; type: number } {
  return ids instanceof Uint16Array
    ? { inside: gl.R16UI, type: gl.UNSIGNED_SHORT }
    : { inside: gl.R8UI, type: gl.UNSIGNED_BYTE };
}

/** A list of numbers as a texture of rows, `each` numbers a texel. */
function numbers(gl: Gl, inside: number, format: number, each: number, data: Float32Array<ArrayBuffer>): WebGLTexture {
  const made = texture(gl, UNIT.shape, inside, ROW, rowsFor(gl, data.length / each));
  fill(gl, format, gl.FLOAT, each, data);
  return made;
}

function rowsFor(gl: Gl, texels: number): number {
  const rows = Math.max(1, Math.ceil(texels / ROW));
  checkSize(gl, rows);
  return rows;
}

/** Fills the bound texture from a list: full rows at once, then the rest, so that nothing is copied to pad it. */
function fill(gl: Gl, format: number, type: number, each: number, data: Float32Array<ArrayBuffer> | ColourIds): void {
  const texels = data.length / each;
  const rows = Math.floor(texels / ROW);
  const rest = texels - rows * ROW;
  if (rows > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, ROW, rows, format, type, data);
  if (rest > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, rows, rest, 1, format, type, data, rows * ROW * each);
}

function checkSize(gl: Gl, side: number): void {
  const most = gl.getParameter(gl.MAX_TEXTURE_SIZE) as number;
  if (side > most) {
    throw new Error(`The picture needs a texture of ${side} pixels; this graphics card can hold ${most}.`);
  }
}

/** An empty texture, bound to its unit. */
function texture(gl: Gl, unit: number, inside: number, width: number, height: number): WebGLTexture {
  const made = gl.createTexture();
  bind(gl, unit, made);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  gl.texStorage2D(gl.TEXTURE_2D, 1, inside, width, height);
  // Cells are things, not samples of something smooth; and integers cannot be filtered at all.
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  return made;
}

function bind(gl: Gl, unit: number, made: WebGLTexture): void {
  gl.activeTexture(gl.TEXTURE0 + unit);
  gl.bindTexture(gl.TEXTURE_2D, made);
}
