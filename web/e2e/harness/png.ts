/** Reads the PNGs that the browser makes (8 bits, RGB or RGBA, not interlaced): enough to look at colours. */
import { inflateSync } from "node:zlib";

export interface Picture {
  width: number;
  height: number;
  /** "#rrggbb" of a pixel. */
  at(x: number, y: number): string;
  /** How many pixels have each colour. */
  colours(): Map<string, number>;
}

export function readPng(png: Buffer): Picture {
  const [width, height, kind] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25]];
  const size = kind === 6 ? 4 : kind === 2 ? 3 : 0;
  if (size === 0 || png[24] !== 8 || png[28] !== 0) throw new Error("a PNG of another kind");
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const bytes = unfiltered(inflateSync(Buffer.concat(parts)), width * size, height, size);
  const at = (x: number, y: number) => `#${bytes.toString("hex", (y * width + x) * size, (y * width + x) * size + 3)}`;
  const colours = () => {
    const counts = new Map<string, number>();
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) counts.set(at(x, y), (counts.get(at(x, y)) ?? 0) + 1);
    }
    return counts;
  };
  return { width, height, at, colours };
}

/** Undoes the filters of the lines: each byte was written as its difference from neighbours. */
function unfiltered(data: Buffer, stride: number, height: number, size: number): Buffer {
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const left = x < size ? 0 : (out[y * stride + x - size] ?? 0);
      const up = y === 0 ? 0 : (out[(y - 1) * stride + x] ?? 0);
      const corner = x < size || y === 0 ? 0 : (out[(y - 1) * stride + x - size] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      out[y * stride + x] = (data[y * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
