/**
 * What moves in space: colours of solids that change from moment to moment (`Heat`), and messages on their way
 * (`MovingSolids`). Both are small textures that are filled anew; the solids themselves stay where they are.
 */
import {
  BufferGeometry,
  CustomBlending,
  DataTexture,
  DoubleSide,
  FloatType,
  GLSL3,
  type IUniform,
  Mesh,
  NearestFilter,
  NoColorSpace,
  OneFactor,
  OneMinusSrcAlphaFactor,
  RawShaderMaterial,
  RGBAFormat,
  RGFormat,
  Scene as Stage,
  UnsignedByteType,
} from "three";
import type { Moving } from "../scene/motion";
import type { Group } from "../scene/space";
import type { Point, Rgba } from "../scene/types";
import { type Dots, NUMBERS, PIPE_NUMBERS } from "./motion-dots";
import { type Lens, see } from "./space-lens";
import { FRAGMENT, PALETTE_ROW, ROW, VERTEX, VERTICES } from "./space-shaders";

/** Pipes are thinner than dots. As in figures. */
const PIPE = 0.55;
/** A dot is hit from so many pixels further away. */
const NEAR = 5;

/** What links, nodes and blocks of switches do now, from 0 to 255. */
export interface HeatValues {
  link: Uint8Array;
  node: Uint8Array;
  block: Uint8Array;
}

/** What solids do now; a network card does what its cable does. */
const HEATED: Record<Group["of"], keyof HeatValues | null> = {
  link: "link",
  nic: "link",
  node: "node",
  block: "block",
  rank: null,
  message: null,
};

/** How much solids of a list do now. */
export class Heat {
  readonly texture: DataTexture;
  private readonly data: Uint8Array;
  /** Of each kind, where its solids are in the list, and which they are. */
  private readonly parts: { kind: keyof HeatValues; at: Uint32Array; ids: Uint32Array }[];

  constructor(of: readonly (Group["of"] | null)[], ids: readonly number[]) {
    const rows = Math.max(1, Math.ceil(of.length / ROW));
    this.data = new Uint8Array(2 * rows * ROW);
    this.texture = exact(new DataTexture(this.data, ROW, rows, RGFormat, UnsignedByteType));
    this.parts = (["link", "node", "block"] as const).map((kind) => {
      const at = Uint32Array.from(of.flatMap((one, index) => (one !== null && HEATED[one] === kind ? [index] : [])));
      // The second byte says that something is known, and of what: a block brightens in the colour that it has.
      for (const index of at) this.data[2 * index + 1] = kind === "block" ? 128 : 255;
      return { kind, at, ids: at.map((index) => ids[index] ?? 0) };
    });
  }

  show(now: HeatValues): void {
    const { data } = this;
    for (const { kind, at, ids } of this.parts) {
      const values = now[kind];
      for (let one = 0; one < at.length; one += 1) data[2 * (at[one] ?? 0)] = values[ids[one] ?? 0] ?? 0;
    }
    this.texture.needsUpdate = true;
  }
}

type Uniforms = Record<string, IUniform>;

/** Messages as spheres, and their pipes as tubes. */
export class MovingSolids {
  private made: Stage | null = null;
  private readonly lists = { spheres: new Filled(), tubes: new Filled() };
  private palette: DataTexture | null = null;
  private colours: readonly Rgba[] = [];
  private radius = 0;

  /** Takes the messages of a moment. */
  show(moving: Moving | null, dots: Dots): void {
    const { spheres, tubes } = this.lists;
    if (moving === null) {
      spheres.begin(0);
      tubes.begin(0);
      return;
    }
    if (this.colours !== moving.colours) {
      this.palette?.dispose();
      this.palette = paletteTexture(moving.colours);
      this.colours = moving.colours;
    }
    this.radius = moving.dot;
    const last = moving.colours.length - 1;
    const to = spheres.begin(dots.count);
    for (let dot = 0; dot < dots.count; dot += 1) {
      const [from, at] = [dot * NUMBERS, dot * 8];
      const isSelected = moving.row[dots.data[from + 4] ?? 0] === moving.selected;
      to[at] = dots.data[from] ?? 0;
      to[at + 1] = dots.data[from + 1] ?? 0;
      to[at + 2] = dots.data[from + 2] ?? 0;
      to[at + 3] = isSelected ? moving.dot * 1.6 : moving.dot;
      to[at + 7] = Math.round((dots.data[from + 3] ?? 0) * last);
    }
    const pipes = tubes.begin(dots.pipeCount);
    for (let pipe = 0; pipe < dots.pipeCount; pipe += 1) {
      const [from, at] = [pipe * PIPE_NUMBERS, pipe * 8];
      for (let axis = 0; axis < 3; axis += 1) {
        pipes[at + axis] = dots.pipes[from + axis] ?? 0;
        pipes[at + 4 + axis] = dots.pipes[from + 3 + axis] ?? 0;
      }
      pipes[at + 3] = moving.dot * PIPE;
      pipes[at + 7] = Math.round((dots.pipes[from + 6] ?? 0) * last);
    }
  }

  /** What there is to draw. */
  stage(uniforms: Uniforms): Stage {
    if (this.made === null) {
      this.made = new Stage();
      this.made.matrixWorldAutoUpdate = false;
      for (const kind of ["spheres", "tubes"] as const) this.made.add(this.lists[kind].mesh(kind, uniforms));
    }
    for (const kind of ["spheres", "tubes"] as const) this.lists[kind].ready(kind, this.palette);
    return this.made;
  }

  /** The message at a point of the picture, as a number in the list: the nearest to the eye. */
  dotAt(dots: Dots, lens: Lens, at: Point): number | null {
    let [best, depth] = [null as number | null, Number.POSITIVE_INFINITY];
    for (let dot = 0; dot < dots.count * NUMBERS; dot += NUMBERS) {
      const seen = see(lens, [dots.data[dot] ?? 0, dots.data[dot + 1] ?? 0, dots.data[dot + 2] ?? 0]);
      if (seen === null || seen.depth >= depth) continue;
      const reach = (this.radius * lens.focal) / seen.depth + NEAR;
      if (Math.hypot(seen.x - at.x, seen.y - at.y) <= reach) [best, depth] = [dots.data[dot + 4] ?? 0, seen.depth];
    }
    return best;
  }

  dispose(): void {
    this.palette?.dispose();
    for (const list of Object.values(this.lists)) list.dispose();
  }
}

/** Solids of one shape whose numbers are filled in anew for each frame. */
class Filled {
  private data = new Float32Array(4 * ROW);
  private texture = texture(this.data);
  private count = 0;
  private geometry: BufferGeometry | null = null;
  private material: RawShaderMaterial | null = null;

  /** Room for so many, eight numbers each. */
  begin(count: number): Float32Array {
    this.count = count;
    if (count * 8 > this.data.length) {
      this.texture.dispose();
      this.data = new Float32Array(Math.ceil((count * 8 * 1.5) / (4 * ROW)) * 4 * ROW);
      this.texture = texture(this.data);
    }
    if (count > 0) this.texture.needsUpdate = true;
    return this.data;
  }

  mesh(kind: "spheres" | "tubes", uniforms: Uniforms): Mesh {
    this.geometry = new BufferGeometry();
    this.material = new RawShaderMaterial({
      vertexShader: VERTEX[kind],
      fragmentShader: FRAGMENT,
      glslVersion: GLSL3,
      uniforms: { ...uniforms, solids: { value: this.texture }, palette: { value: null }, hot: { value: 0 } },
      side: DoubleSide,
      // Pipes lie in the middle of sticks: they are drawn before them, not through them.
      polygonOffset: true,
      polygonOffsetFactor: -1,
      polygonOffsetUnits: -64,
      blending: CustomBlending,
      blendSrc: OneFactor,
      blendDst: OneMinusSrcAlphaFactor,
    });
    const mesh = new Mesh(this.geometry, this.material);
    mesh.frustumCulled = false;
    mesh.matrixAutoUpdate = false;
    return mesh;
  }

  ready(kind: "spheres" | "tubes", palette: DataTexture | null): void {
    this.geometry?.setDrawRange(0, this.count * VERTICES[kind]);
    const uniforms = this.material?.uniforms;
    if (uniforms === undefined) return;
    if (uniforms.solids) uniforms.solids.value = this.texture;
    if (uniforms.palette) uniforms.palette.value = palette;
  }

  dispose(): void {
    this.texture.dispose();
    this.material?.dispose();
    this.geometry?.dispose();
  }
}

function texture(data: Float32Array<ArrayBuffer>): DataTexture {
  return exact(new DataTexture(data, ROW, data.length / 4 / ROW, RGBAFormat, FloatType));
}

export function paletteTexture(palette: readonly Rgba[]): DataTexture {
  const rows = Math.max(1, Math.ceil(palette.length / PALETTE_ROW));
  const data = new Uint8Array(rows * PALETTE_ROW * 4);
  palette.forEach((colour, at) => {
    data.set(colour, at * 4);
  });
  return exact(new DataTexture(data, PALETTE_ROW, rows, RGBAFormat, UnsignedByteType));
}

/** Numbers, not pictures: nothing is filtered or converted. */
export function exact(texture: DataTexture): DataTexture {
  texture.minFilter = NearestFilter;
  texture.magFilter = NearestFilter;
  texture.generateMipmaps = false;
  texture.colorSpace = NoColorSpace;
  texture.needsUpdate = true;
  return texture;
}
