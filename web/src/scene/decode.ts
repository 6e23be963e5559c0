/**
 * Reads the wire form of a scene: 16 bytes, a JSON header, then aligned little-endian arrays.
 *
 * Every length and every reference is checked here, once, before anything is drawn. Arrays become views of the buffer,
 * which is why their alignment is checked as well. Typed arrays have the byte order of the machine; all machines that
 * run a current browser are little-endian.
 */
import {
  asCount,
  asFields,
  asFractionText,
  asList,
  asNumber,
  asNumberText,
  asOneOf,
  asText,
  type Fields,
  SceneError,
} from "./fields";
import { edgesOf } from "./plane";
import type {
  Band,
  ColourBar,
  ColourId,
  Ink,
  Label,
  Layer,
  LegendEntry,
  Rect,
  RectLayer,
  Rgba,
  Scene,
  SceneAxis,
  SceneScale,
  Tick,
} from "./types";

const FORM = { magic: "HSCN", version: 2 } as const;
const PREFIX = 16;
const ALIGNMENT = 8;

/** The first bytes of a form of scenes. */
export interface WireForm {
  magic: string;
  version: number;
}

/** More than any honest scene has; a claim beyond is refused before anything is allocated for it. */
export const MOST = {
  side: 8192,
  marks: 1 << 24,
  palette: 65536,
  layers: 256,
  bands: 4096,
  texts: 65536,
  rows: 2 ** 32,
} as const;

/** What a reference to an array needs: the bytes behind the header. */
export interface Arrays {
  buffer: ArrayBuffer;
  start: number;
}

const ELEMENTS = {
  f32: Float32Array,
  f64: Float64Array,
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
} as const;

type ElementType = keyof typeof ELEMENTS;

/** The scene in a buffer. Throws `SceneError` if there is none. */
export function decodeScene(buffer: ArrayBuffer): Scene {
  const { header, start } = readHeader(buffer, FORM);
  return readScene(header, { buffer, start });
}

/** What the header of a scene says, on a plane or in space. */
export function readScene(header: Fields, arrays: Arrays): Scene {
  const palette = asList(header.palette, "palette", MOST.palette).map(readColour);
  const colour = (value: unknown, path: string) => readColourId(value, path, palette.length);
  const [width, height] = asList(header.size, "size", 2).map((side, at) => asCount(side, `size[${at}]`, MOST.side));
  if (width === undefined || height === undefined) throw new SceneError("size needs a width and a height");
  const layers = asList(header.layers, "layers", MOST.layers);
  const plot = readRect(header.plot, "plot");
  const [x, y] = ofOneScale(plot, readAxis(header.x, "x"), readAxis(header.y, "y"));
  return {
    width,
    height,
    background: colour(header.background, "background"),
    palette,
    title: asText(header.title, "title"),
    plot,
    x,
    y,
    layers: layers.map((layer, at) => readLayer(layer, `layers[${at}]`, arrays, palette.length)),
    beside: header.beside === undefined ? null : readBeside(header.beside, arrays, palette.length),
    labels: asList(header.labels, "labels", MOST.texts).map((label, at) => readLabel(label, `labels[${at}]`, colour)),
    legend: asList(header.legend, "legend", MOST.texts).map((entry, at) => readLegend(entry, `legend[${at}]`, colour)),
    colourBar:
      header.colour_bar === undefined || header.colour_bar === null ? null : readBar(header.colour_bar, colour),
    legendArea: readRect(header.legend_area, "legend_area"),
    notes: asList(header.notes, "notes", MOST.texts).map((note, at) => asText(note, `notes[${at}]`)),
    ink: readInk(header.ink, colour),
  };
}

type ReadColour = (value: unknown, path: string) => ColourId;

export function readHeader(buffer: ArrayBuffer, form: WireForm): { header: Fields; start: number } {
  if (buffer.byteLength < PREFIX) throw new SceneError(`it has only ${buffer.byteLength} bytes`);
  const prefix = new DataView(buffer, 0, PREFIX);
  const magic = String.fromCharCode(...new Uint8Array(buffer, 0, form.magic.length));
  if (magic !== form.magic) throw new SceneError(`it does not begin with ${form.magic}`);
  const version = prefix.getUint32(4, true);
  if (version !== form.version)
    throw new SceneError(`it has version ${version}; this page knows version ${form.version}`);
  const length = prefix.getUint32(8, true);
  if (length > buffer.byteLength - PREFIX) {
    throw new SceneError(`its header claims ${length} bytes, ${buffer.byteLength - PREFIX} are there`);
  }
  if (length % ALIGNMENT !== 0) throw new SceneError(`its header of ${length} bytes leaves the arrays unaligned`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(buffer, PREFIX, length)));
  } catch {
    throw new SceneError("its header is not JSON");
  }
  return { header: asFields(value, "the header"), start: PREFIX + length };
}

/** The array that a reference names, if it has `length` elements and all of them are there. */
export function readArray<T extends ElementType>(
  value: unknown,
  path: string,
  types: readonly T[],
  length: number,
  arrays: Arrays,
): InstanceType<(typeof ELEMENTS)[T]> & { buffer: ArrayBuffer } {
  const reference = asFields(value, path);
  const type = asOneOf(reference.type, `${path}.type`, types);
  const Elements = ELEMENTS[type];
  const room = arrays.buffer.byteLength - arrays.start;
  const at = asCount(reference.at, `${path}.at`, room);
  const claimed = asCount(reference.length, `${path}.length`, MOST.marks * 7);
  if (claimed !== length) throw new SceneError(`${path} has ${claimed} elements instead of ${length}`);
  if (at % ALIGNMENT !== 0) throw new SceneError(`${path} begins at byte ${at}, which is not aligned`);
  if (length * Elements.BYTES_PER_ELEMENT > room - at) {
    throw new SceneError(`${path} needs ${length * Elements.BYTES_PER_ELEMENT} bytes, ${room - at} are there`);
  }
  // TypeScript cannot follow the lookup by `type`; the table above is the proof.
  return new Elements(arrays.buffer, arrays.start + at, length) as InstanceType<(typeof ELEMENTS)[T]> & {
    buffer: ArrayBuffer;
  };
}

/** Three bytes a cell, from the differences in red, then green, then blue. */
function readColours(differences: Uint8Array, filled: number): Uint8Array<ArrayBuffer> {
  const colours = new Uint8Array(filled * 3);
  for (let channel = 0; channel < 3; channel += 1) {
    let value = 0;
    for (let cell = 0; cell < filled; cell += 1) {
      value = (value + (differences[channel * filled + cell] ?? 0)) & 0xff;
      colours[cell * 3 + channel] = value;
    }
  }
  return colours;
}

function readBeside(value: unknown, arrays: Arrays, colours: number): RectLayer {
  const layer = readLayer(value, "beside", arrays, colours);
  if (layer.kind !== "rects") throw new SceneError("beside the plot there can only be rectangles");
  return layer;
}

function readLayer(value: unknown, path: string, arrays: Arrays, colours: number): Layer {
  const layer = asFields(value, path);
  const array = <T extends ElementType>(name: string, types: readonly T[], length: number) =>
    readArray(layer[name], `${path}.${name}`, types, length, arrays);
  const kind = asOneOf(layer.kind, `${path}.kind`, ["rects", "segments", "discs", "bands", "raster", "density"]);
  switch (kind) {
    case "rects": {
      const count = asCount(layer.count, `${path}.count`, MOST.marks);
      const colour = array("colour", ["u8", "u16"], count);
      checkColours(colour, colours, `${path}.colour`);
      return { kind, count, rect: array("rect", ["f32"], count * 4), colour };
    }
    case "segments": {
      const count = asCount(layer.count, `${path}.count`, MOST.marks);
      const colour = array("colour", ["u8", "u16"], count);
      checkColours(colour, colours, `${path}.colour`);
      return { kind, count, line: array("line", ["f32"], count * 5), colour };
    }
    case "discs": {
      const count = asCount(layer.count, `${path}.count`, MOST.marks);
      const colour = array("colour", ["u8", "u16"], count);
      checkColours(colour, colours, `${path}.colour`);
      return { kind, count, disc: array("disc", ["f32"], count * 3), colour };
    }
    case "bands": {
      const columns = asCount(layer.columns, `${path}.columns`, MOST.side);
      const bands = asList(layer.bands, `${path}.bands`, MOST.bands);
      return {
        kind,
        columns,
        bands: bands.map((band, at) => readBand(band, `${path}.bands[${at}]`, columns, arrays, colours)),
      };
    }
    case "raster": {
      const columns = asCount(layer.columns, `${path}.columns`, MOST.side);
      const rows = asCount(layer.rows, `${path}.rows`, MOST.side);
      const cells = columns * rows;
      const colour = array("colour", ["u8", "u16"], cells);
      checkColours(colour, colours, `${path}.colour`);
      return { kind, columns, rows, colour, strength: array("strength", ["u8"], cells) };
    }
    case "density": {
      const columns = asCount(layer.columns, `${path}.columns`, MOST.side);
      const rows = asCount(layer.rows, `${path}.rows`, MOST.side);
      const filled = asCount(layer.filled, `${path}.filled`, Math.min(columns * rows, MOST.marks));
      const numbers = (name: string) => {
        const length = asCount(asFields(layer[name], `${path}.${name}`).length, `${path}.${name}.length`, filled * 5);
        return readNumbers(array(name, ["u8"], length), filled, `${path}.${name}`);
      };
      const place = numbers("places");
      let at = 0;
      for (let cell = 0; cell < filled; cell += 1) {
        at += place[cell] ?? 0;
        if (at >= columns * rows) throw new SceneError(`${path}.places reaches out of its ${columns * rows} cells`);
        place[cell] = at;
      }
      return {
        kind,
        columns,
        rows,
        most: asCount(layer.most, `${path}.most`, 2 ** 32),
        map: asOneOf(layer.map, `${path}.map`, ["log", "linear", "alpha"]),
        alpha: asNumber(layer.alpha, `${path}.alpha`),
        least: asNumber(layer.least, `${path}.least`),
        place,
        count: numbers("counts"),
        colour: readColours(array("colours", ["u8"], filled * 3), filled),
      };
    }
  }
}

/** Numbers as LEB128: seven bits a byte, the lowest first, the highest bit set on all but the last byte. */
function readNumbers(bytes: Uint8Array, count: number, path: string): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(count);
  let from = 0;
  for (let at = 0; at < count; at += 1) {
    let [value, shift, byte] = [0, 0, 0x80];
    while (byte >= 0x80) {
      if (from >= bytes.length || shift > 28) throw new SceneError(`${path} has a number that does not end`);
      byte = bytes[from] ?? 0;
      value |= (byte & 0x7f) << shift;
      from += 1;
      shift += 7;
    }
    numbers[at] = value;
  }
  if (from !== bytes.length) throw new SceneError(`${path} has more than ${count} numbers`);
  return numbers;
}

function readBand(value: unknown, path: string, columns: number, arrays: Arrays, colours: number): Band {
  const band = asFields(value, path);
  return {
    colour: readColourId(band.colour, `${path}.colour`, colours),
    upper: readArray(band.upper, `${path}.upper`, ["f32"], columns, arrays),
    lower: readArray(band.lower, `${path}.lower`, ["f32"], columns, arrays),
  };
}

/** Looks at every mark's colour. A million take about a millisecond, and no shader has to doubt them later. */
export function checkColours(ids: Uint8Array | Uint16Array, colours: number, path: string): void {
  let largest = -1;
  for (let at = 0; at < ids.length; at += 1) {
    const id = ids[at] ?? 0;
    if (id > largest) largest = id;
  }
  if (largest >= colours) throw new SceneError(`${path} names colour ${largest} of a palette of ${colours}`);
}

export function readColour(value: unknown, at: number): Rgba {
  const text = asText(value, `palette[${at}]`);
  if (!/^#[0-9a-f]{8}$/i.test(text)) throw new SceneError(`palette[${at}] is not #rrggbbaa`);
  const part = (from: number) => Number.parseInt(text.slice(from, from + 2), 16);
  return [part(1), part(3), part(5), part(7)];
}

export function readColourId(value: unknown, path: string, colours: number): ColourId {
  const id = asCount(value, path, MOST.palette);
  if (id >= colours) throw new SceneError(`${path} names colour ${id} of a palette of ${colours}`);
  return id;
}

function readRect(value: unknown, path: string): Rect {
  const numbers = asList(value, path, 4).map((number, at) => asNumber(number, `${path}[${at}]`));
  const [x, y, width, height] = numbers;
  if (x === undefined || y === undefined || width === undefined || height === undefined) {
    throw new SceneError(`${path} needs x, y, width and height`);
  }
  if (width < 0 || height < 0) throw new SceneError(`${path} is inside out`);
  return { x, y, width, height };
}

const COUNTED: readonly SceneAxis["kind"][] = ["rows", "lines", "columns", "steps", "across", "down"];

function readAxis(value: unknown, path: string): SceneAxis {
  const axis = asFields(value, path);
  const said = asOneOf(axis.kind, `${path}.kind`, [
    "time",
    "steps",
    "rows",
    "lines",
    "columns",
    "across",
    "down",
    "values",
    "value",
  ]);
  const kind = said === "value" ? "values" : said;
  const edge = (name: "from" | "to") =>
    kind === "values"
      ? 0
      : kind === "steps"
        ? asFractionText(axis[name], `${path}.${name}`)
        : asNumberText(axis[name], `${path}.${name}`);
  const ticks = asList(axis.ticks, `${path}.ticks`, MOST.texts);
  return {
    title: asText(axis.title, `${path}.title`),
    ticks: ticks.map((tick, at) => readTick(tick, `${path}.ticks[${at}]`)),
    kind,
    from: edge("from"),
    to: edge("to"),
    count: COUNTED.includes(kind) ? asCount(axis.count, `${path}.count`, MOST.rows) : 0,
    scale: axis.scale === undefined ? null : readScale(axis.scale, `${path}.scale`),
  };
}

/** Axes of a plane say what was asked for; what is at the edges of the plot follows from it. */
function ofOneScale(plot: Rect, x: SceneAxis, y: SceneAxis): [SceneAxis, SceneAxis] {
  if (x.kind !== "across" || y.kind !== "down") return [x, y];
  const { across, down } = edgesOf(plot, [x.from, x.to], [y.from, y.to]);
  return [
    { ...x, from: across[0], to: across[1] },
    { ...y, from: down[0], to: down[1] },
  ];
}

function readScale(value: unknown, path: string): SceneScale {
  const scale = asFields(value, path);
  const number = (name: string) => asNumber(scale[name], `${path}.${name}`);
  const [upper, lower, top, bottom] = [number("upper"), number("lower"), number("top"), number("bottom")];
  const spacing = asOneOf(scale.spacing, `${path}.spacing`, ["log", "linear"]);
  if (!(bottom > top)) throw new SceneError(`${path} has no height`);
  if (spacing === "log" && !(upper > 0 && lower > 0)) throw new SceneError(`${path} has no logarithm`);
  return { upper, lower, spacing, top, bottom };
}

function readTick(value: unknown, path: string): Tick {
  const [at, label] = asList(value, path, 2);
  return { at: asNumber(at, `${path}[0]`), label: asText(label, `${path}[1]`) };
}

function readLabel(value: unknown, path: string, colour: ReadColour): Label {
  const label = asFields(value, path);
  const [x, y] = asList(label.at, `${path}.at`, 2);
  return {
    at: { x: asNumber(x, `${path}.at[0]`), y: asNumber(y, `${path}.at[1]`) },
    text: asText(label.text, `${path}.text`),
    size: asNumber(label.size, `${path}.size`),
    colour: colour(label.colour, `${path}.colour`),
    anchor: asOneOf(label.anchor, `${path}.anchor`, ["start", "middle", "end"]),
  };
}

function readLegend(value: unknown, path: string, colour: ReadColour): LegendEntry {
  const entry = asFields(value, path);
  return {
    colour: colour(entry.colour, `${path}.colour`),
    name: asText(entry.name, `${path}.name`),
    value: asText(entry.value, `${path}.value`),
  };
}

function readBar(value: unknown, colour: ReadColour): ColourBar {
  const bar = asFields(value, "colour_bar");
  const colours = asList(bar.colours, "colour_bar.colours", MOST.palette);
  return {
    title: asText(bar.title, "colour_bar.title"),
    colours: colours.map((one, at) => colour(one, `colour_bar.colours[${at}]`)),
    from: asNumber(bar.from, "colour_bar.from"),
    to: asNumber(bar.to, "colour_bar.to"),
    fromText: asText(bar.from_text, "colour_bar.from_text"),
    toText: asText(bar.to_text, "colour_bar.to_text"),
  };
}

function readInk(value: unknown, colour: ReadColour): Ink {
  const ink = asFields(value, "ink");
  return {
    strong: colour(ink.strong, "ink.strong"),
    text: colour(ink.text, "ink.text"),
    faint: colour(ink.faint, "ink.faint"),
    line: colour(ink.line, "ink.line"),
    grid: colour(ink.grid, "ink.grid"),
  };
}
