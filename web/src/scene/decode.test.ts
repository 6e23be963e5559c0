import { describe, expect, it } from "vitest";
import { decodeScene } from "./decode";
import { ArrayWriter, emptyHeader } from "./encode-for-tests";
import { SceneError } from "./fields";

function sample(): ArrayBuffer {
  const arrays = new ArrayWriter();
  const layers = [
    {
      kind: "rects",
      count: 3,
      rect: arrays.add(new Float32Array([70, 20, 5, 8, 80, 20, 5, 8, 90, 20, 5, 8])),
      colour: arrays.add(new Uint16Array([6, 1, 6])),
    },
    {
      kind: "segments",
      count: 1,
      line: arrays.add(new Float32Array([70, 20, 90, 40, 1.5])),
      colour: arrays.add(new Uint16Array([3])),
    },
    {
      kind: "bands",
      columns: 3,
      bands: [
        {
          colour: 6,
          upper: arrays.add(new Float32Array([20, Number.NaN, 30])),
          lower: arrays.add(new Float32Array([40, 50, 60])),
        },
      ],
    },
    {
      kind: "raster",
      columns: 3,
      rows: 2,
      colour: arrays.add(new Uint8Array([0, 1, 2, 3, 4, 5])),
      strength: arrays.add(new Uint8Array([0, 50, 100, 150, 200, 255])),
    },
  ];
  const labels = [{ at: [100, 50], text: "MPI_Recv", size: 11, colour: 1, anchor: "middle" }];
  const legend = [{ colour: 6, name: "MPI_Recv", value: "21.4" }];
  return arrays.message({ ...emptyHeader(), layers, labels, legend, notes: ["each row stands for 64 ranks"] });
}

/** The message of a header with one thing changed. */
function withHeader(change: Record<string, unknown>, arrays = new ArrayWriter()): ArrayBuffer {
  return arrays.message({ ...emptyHeader(), ...change });
}

function rects(change: Record<string, unknown>): ArrayBuffer {
  const arrays = new ArrayWriter();
  const rect = arrays.add(new Float32Array(8));
  const colour = arrays.add(new Uint16Array([1, 2]));
  return withHeader({ layers: [{ kind: "rects", count: 2, rect, colour, ...change }] }, arrays);
}

describe("decodeScene", () => {
  it("reads everything that a scene can hold", () => {
    const scene = decodeScene(sample());
    expect([scene.width, scene.height]).toEqual([400, 300]);
    expect(scene.plot).toEqual({ x: 64, y: 10, width: 320, height: 260 });
    expect(scene.palette[6]).toEqual([0, 0x72, 0xb2, 0x80]);
    expect(scene.x).toMatchObject({ kind: "time", from: 0, to: 2e9 });
    expect(scene.x.ticks[1]).toEqual({ at: 224, label: "1 s" });
    expect(scene.y).toMatchObject({ kind: "rows", from: 0, to: 4, count: 8, title: "rank" });
    expect(scene.labels[0]).toMatchObject({ at: { x: 100, y: 50 }, anchor: "middle" });
    expect(scene.legend).toEqual([{ colour: 6, name: "MPI_Recv", value: "21.4" }]);
    expect(scene.notes).toHaveLength(1);
    const [first, second, third, fourth] = scene.layers;
    if (first?.kind !== "rects" || second?.kind !== "segments") throw new Error("wrong kinds");
    if (third?.kind !== "bands" || fourth?.kind !== "raster") throw new Error("wrong kinds");
    expect([...first.rect.subarray(4, 8)]).toEqual([80, 20, 5, 8]);
    expect([...first.colour]).toEqual([6, 1, 6]);
    expect([...second.line]).toEqual([70, 20, 90, 40, 1.5]);
    expect(third.bands[0]?.upper[1]).toBeNaN();
    expect([...fourth.strength]).toEqual([0, 50, 100, 150, 200, 255]);
  });

  it("copies nothing", () => {
    const buffer = sample();
    const layer = decodeScene(buffer).layers[0];
    expect(layer?.kind === "rects" && layer.rect.buffer).toBe(buffer);
  });

  it("takes wide palettes as 16 bits a cell", () => {
    const arrays = new ArrayWriter();
    const palette = Array.from({ length: 300 }, () => "#000000ff");
    const colour = arrays.add(new Uint16Array([299, 0]));
    const strength = arrays.add(new Uint8Array([255, 255]));
    const layers = [{ kind: "raster", columns: 2, rows: 1, colour, strength }];
    const [layer] = decodeScene(withHeader({ palette, layers }, arrays)).layers;
    expect(layer?.kind === "raster" && layer.colour[0]).toBe(299);
  });

  it("takes colours of marks as one byte or two", () => {
    for (const ids of [new Uint8Array([6, 1]), new Uint16Array([6, 1])]) {
      const arrays = new ArrayWriter();
      const rect = arrays.add(new Float32Array(8));
      const line = arrays.add(new Float32Array(10));
      const colour = arrays.add(ids);
      const layers = [
        { kind: "rects", count: 2, rect, colour },
        { kind: "segments", count: 2, line, colour },
      ];
      for (const layer of decodeScene(withHeader({ layers }, arrays)).layers) {
        expect("colour" in layer && [...layer.colour]).toEqual([6, 1]);
      }
    }
  });

  it("does not read the edges of an axis of values", () => {
    const y = { title: "", ticks: [], kind: "value", from: "0.5", to: "" };
    expect(decodeScene(withHeader({ y })).y).toMatchObject({ kind: "values", from: 0, to: 0 });
    expect(decodeScene(withHeader({ y: { ...y, kind: "values" } })).y.kind).toBe("values");
  });

  it("counts columns as it counts rows", () => {
    const x = { title: "", ticks: [], kind: "columns", from: "2", to: "10", count: 64 };
    expect(decodeScene(withHeader({ x })).x).toMatchObject({ kind: "columns", from: 2, to: 10, count: 64 });
  });

  it("reads an axis of steps, and what colours mean", () => {
    const x = { title: "", ticks: [], kind: "steps", from: "12.25", to: "48", count: 838 };
    const bar = { title: "Lateness", colours: [1, 6], from: 0, to: 4.3e6, from_text: "0", to_text: "4.3 ms" };
    const scene = decodeScene(withHeader({ x, colour_bar: bar }));
    expect(scene.x).toMatchObject({ kind: "steps", from: 12.25, to: 48, count: 838 });
    expect(scene.colourBar).toMatchObject({ colours: [1, 6], toText: "4.3 ms" });
    expect(decodeScene(withHeader({ colour_bar: null })).colourBar).toBeNull();
    expect(() => decodeScene(withHeader({ colour_bar: { ...bar, colours: [7] } }))).toThrow("palette");
    expect(() => decodeScene(withHeader({ x: { ...x, from: "1e5" } }))).toThrow("decimal");
  });

  it("reads which value is where", () => {
    const scale = { upper: 1e9, lower: 250, spacing: "log", top: 24, bottom: 60.5 };
    const axis = (change: object) => ({ title: "", ticks: [], kind: "value", scale: { ...scale, ...change } });
    expect(decodeScene(withHeader({ y: axis({}) })).y.scale).toEqual(scale);
    for (const wrong of [{ lower: 0 }, { bottom: 24 }, { spacing: "root" }, { upper: "1" }]) {
      expect(() => decodeScene(withHeader({ y: axis(wrong) }))).toThrow(SceneError);
    }
  });
});

describe("decodeScene refuses", () => {
  const ROWS = { title: "", ticks: [], kind: "rows", from: "0", to: "4" };
  const refusals: [string, () => ArrayBuffer, RegExp][] = [
    ["an empty answer", () => new ArrayBuffer(0), /only 0 bytes/],
    ["another format", () => new TextEncoder().encode("<html><body></body></html>").buffer, /does not begin with HSCN/],
    ["colours beyond the palette", () => withHeader({ background: 7 }), /background names colour 7 of a palette of 7/],
    ["colours of marks beyond it", () => withPalette(), /layers\[0\]\.colour names colour 2 of a palette of 2/],
    ["a colour that is none", () => withHeader({ palette: ["red"] }), /palette\[0\] is not #rrggbbaa/],
    [
      "a count that the array does not have",
      () => rects({ count: 3 }),
      /layers\[0\]\.colour has 2 elements instead of 3/,
    ],
    ["a negative count", () => rects({ count: -1 }), /count is -1/],
    ["a huge count", () => rects({ count: 2 ** 40 }), /count is 1099511627776/],
    ["a broken count", () => rects({ count: 1.5 }), /count is 1\.5/],
    ["an array of another type", () => rects({ rect: { type: "u8", at: 0, length: 8 } }), /rect\.type is none of f32/],
    ["an array that is not aligned", () => rects({ rect: { type: "f32", at: 4, length: 8 } }), /not aligned/],
    [
      "an array beyond the end",
      () => rects({ rect: { type: "f32", at: 16, length: 8 } }),
      /needs 32 bytes, 24 are there/,
    ],
    ["an array that begins there", () => rects({ rect: { type: "f32", at: 4096, length: 8 } }), /rect\.at is 4096/],
    ["no array", () => rects({ rect: null }), /rect is not an object/],
    ["a kind of layer it does not know", () => withHeader({ layers: [{ kind: "spheres" }] }), /kind is none of rects/],
    ["a size beyond reason", () => withHeader({ size: [400, 1e9] }), /size\[1\] is 1000000000/],
    ["a size with one side", () => withHeader({ size: [400] }), /size needs a width and a height/],
    ["an axis of rows that does not say how many", () => withHeader({ y: ROWS }), /y\.count is not a number/],
    ["a plot that is inside out", () => withHeader({ plot: [0, 0, -1, 4] }), /plot is inside out/],
    ["a plot without numbers", () => withHeader({ plot: [0, 0, null, 4] }), /plot\[2\] is not a number/],
    [
      "ticks without text",
      () => withHeader({ x: { title: "", ticks: [[3, 4]], kind: "value" } }),
      /x\.ticks\[0\]\[1\]/,
    ],
    [
      "times that are no numbers",
      () => withHeader({ x: { title: "", ticks: [], kind: "time", from: "0x10", to: "1" } }),
      /x\.from is not a decimal number/,
    ],
    ["layers that are no list", () => withHeader({ layers: {} }), /layers is not a list/],
  ];
  it.each(refusals)("%s", (_, make, words) => {
    expect(() => decodeScene(make())).toThrow(SceneError);
    expect(() => decodeScene(make())).toThrow(words);
  });

  function withPalette(): ArrayBuffer {
    const arrays = new ArrayWriter();
    const rect = arrays.add(new Float32Array(8));
    const colour = arrays.add(new Uint16Array([1, 2]));
    const ink = { strong: 1, text: 1, faint: 1, line: 1, grid: 1 };
    const palette = ["#ffffffff", "#000000ff"];
    return withHeader({ palette, ink, layers: [{ kind: "rects", count: 2, rect, colour }] }, arrays);
  }

  it("another version", () => {
    const buffer = sample();
    new DataView(buffer).setUint32(4, 3, true);
    expect(() => decodeScene(buffer)).toThrow(/version 3; this page knows version 2/);
  });

  it("a header that claims more than there is, or leaves the arrays unaligned", () => {
    const buffer = sample();
    const prefix = new DataView(buffer);
    const length = prefix.getUint32(8, true);
    prefix.setUint32(8, 0xffffffff, true);
    expect(() => decodeScene(buffer)).toThrow(/claims 4294967295 bytes/);
    prefix.setUint32(8, length - 3, true);
    expect(() => decodeScene(buffer)).toThrow(/unaligned/);
  });

  it("every message that was cut short", () => {
    const buffer = sample();
    // The last array ends two bytes before the padded end.
    for (let length = 0; length < buffer.byteLength - 2; length += 1) {
      expect(() => decodeScene(buffer.slice(0, length))).toThrow(SceneError);
    }
  });

  it("or reads, but never breaks on, messages with a byte changed", () => {
    const whole = new Uint8Array(sample());
    for (let at = 0; at < whole.length; at += 1) {
      for (const flip of [0x01, 0x80, 0xff]) {
        const bytes = whole.slice();
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        try {
          decodeScene(bytes.buffer);
        } catch (error) {
          expect(error).toBeInstanceOf(SceneError);
        }
      }
    }
  });
});
