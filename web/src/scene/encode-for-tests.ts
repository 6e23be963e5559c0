/**
 * Writes the wire form of a scene, for tests only: the server is the one that writes it in earnest.
 *
 * It is a second, independent reading of the format, and lets tests build scenes, whole and broken, without a server.
 */

type Elements = Float32Array | Uint8Array | Uint16Array;

export interface ArrayReference {
  type: "f32" | "u8" | "u16";
  at: number;
  length: number;
}

/** Collects arrays and says where each will lie. */
export class ArrayWriter {
  private readonly parts: { at: number; bytes: Uint8Array }[] = [];
  private end = 0;

  add(array: Elements): ArrayReference {
    const type = array instanceof Float32Array ? "f32" : array instanceof Uint16Array ? "u16" : "u8";
    const at = this.end;
    this.parts.push({ at, bytes: new Uint8Array(array.buffer, array.byteOffset, array.byteLength) });
    this.end = Math.ceil((at + array.byteLength) / 8) * 8;
    return { type, at, length: array.length };
  }

  /** The whole message. */
  message(header: object): ArrayBuffer {
    const json = new TextEncoder().encode(JSON.stringify(header));
    const length = Math.ceil(json.length / 8) * 8;
    const out = new Uint8Array(16 + length + this.end).fill(0x20, 16, 16 + length);
    out.set(new TextEncoder().encode("HSCN"));
    const prefix = new DataView(out.buffer);
    prefix.setUint32(4, 2, true);
    prefix.setUint32(8, length, true);
    out.set(json, 16);
    for (const { at, bytes } of this.parts) out.set(bytes, 16 + length + at);
    return out.buffer;
  }
}

/** A header without marks, to be changed by a test. */
export function emptyHeader(): Record<string, unknown> {
  return {
    size: [400, 300],
    background: 0,
    palette: ["#ffffffff", "#1c2330ff", "#566072ff", "#8b94a3ff", "#dfe2e7ff", "#eceef1ff", "#0072b280"],
    title: "",
    plot: [64, 10, 320, 260],
    x: {
      title: "",
      ticks: [
        [64, "0 s"],
        [224, "1 s"],
      ],
      kind: "time",
      from: "0",
      to: "2000000000",
    },
    y: { title: "rank", ticks: [[42.5, "0"]], kind: "rows", from: "0", to: "4", count: 8 },
    layers: [],
    labels: [],
    legend: [],
    legend_area: [384, 10, 0, 260],
    notes: [],
    ink: { strong: 1, text: 2, faint: 3, line: 4, grid: 5 },
  };
}
