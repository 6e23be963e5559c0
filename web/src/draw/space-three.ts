/**
 * Draws scenes in space with three.js. Loaded only when a pane needs it: it is as large as the rest of the page.
 *
 * A scene is uploaded once. A frame sets a few numbers of the camera and draws each group with one call, so that its cost for
 * the script does not depend on how many solids there are.
 */
import {
  BufferGeometry,
  Camera,
  CustomBlending,
  DataTexture,
  DoubleSide,
  FloatType,
  GLSL3,
  Mesh,
  NearestFilter,
  NoColorSpace,
  OneFactor,
  OneMinusSrcAlphaFactor,
  RawShaderMaterial,
  RGBAFormat,
  Scene as Stage,
  UnsignedByteType,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { type Group, NUMBERS, type SolidKind, type SpaceScene } from "../scene/space";
import type { Rgba } from "../scene/types";
import { type Lens, NEAREST } from "./space-lens";
import { FRAGMENT, PALETTE_ROW, ROW, VERTEX, VERTICES } from "./space-shaders";

const KINDS = ["boxes", "spheres", "tubes"] as const satisfies readonly SolidKind[];

/** Of what recedes and of what stands out, which is drawn above it: one list of solids of each shape. */
interface Lists {
  faded: Record<SolidKind, number[]>;
  full: Record<SolidKind, number[]>;
}

export class SpaceRenderer {
  private readonly renderer: WebGLRenderer;
  private readonly camera = new Camera();
  /** What recedes is drawn first, below the rest, wherever it is. */
  private stages: Stage[] = [];
  private free: (() => void)[] = [];
  private readonly uniforms = {
    solids: { value: null },
    palette: { value: null as DataTexture | null },
    eye: { value: new Vector3() },
    right: { value: new Vector3() },
    up: { value: new Vector3() },
    forward: { value: new Vector3() },
    focal: { value: new Vector3() },
    range: { value: new Vector2() },
  };
  /** How far the solids reach from the origin. */
  private reach = 1;

  /** Throws where there is no WebGL2. */
  constructor(canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: false, alpha: true, powerPreference: "low-power" });
    this.renderer.autoClear = false;
    this.renderer.setClearColor(0x000000, 0);
    this.camera.matrixAutoUpdate = false;
  }

  /** Takes a new scene. */
  show(scene: SpaceScene | null): void {
    this.drop();
    if (scene === null) return;
    const palette = paletteTexture(scene.palette);
    this.uniforms.palette.value = palette;
    this.free.push(() => palette.dispose());
    const { low, high } = scene.space.bounds;
    this.reach = Math.hypot(...[0, 1, 2].map((axis) => Math.max(Math.abs(low[axis] ?? 0), Math.abs(high[axis] ?? 0))));
    const lists = sorted(scene);
    this.stages = [this.stage(lists.faded, false), this.stage(lists.full, true)];
  }

  private stage(lists: Record<SolidKind, number[]>, isFull: boolean): Stage {
    const stage = new Stage();
    stage.matrixWorldAutoUpdate = false;
    for (const kind of KINDS) {
      const numbers = lists[kind];
      if (numbers.length === 0) continue;
      const texture = solidTexture(numbers);
      const material = new RawShaderMaterial({
        vertexShader: VERTEX[kind],
        fragmentShader: FRAGMENT,
        glslVersion: GLSL3,
        uniforms: { ...this.uniforms, solids: { value: texture } },
        side: DoubleSide,
        depthTest: isFull,
        depthWrite: isFull,
        transparent: !isFull,
        blending: CustomBlending,
        blendSrc: OneFactor,
        blendDst: OneMinusSrcAlphaFactor,
      });
      const geometry = new BufferGeometry();
      geometry.setDrawRange(0, (numbers.length / 8) * VERTICES[kind]);
      const mesh = new Mesh(geometry, material);
      mesh.frustumCulled = false;
      mesh.matrixAutoUpdate = false;
      stage.add(mesh);
      this.free.push(() => {
        texture.dispose();
        material.dispose();
        geometry.dispose();
      });
    }
    return stage;
  }

  /**
   * Draws the scene as a lens sees it, with so many pixels to each of the page in each direction. More than the screen has
   * smooth edges: the browser's own way would cost as much in every frame of a move, and cannot be turned off then.
   */
  draw(lens: Lens, ratio: number): void {
    const { renderer, uniforms } = this;
    const size = renderer.getSize(new Vector2());
    if (renderer.getPixelRatio() !== ratio) renderer.setPixelRatio(ratio);
    if (size.x !== lens.width || size.y !== lens.height) renderer.setSize(lens.width, lens.height);
    for (const name of ["eye", "right", "up", "forward"] as const) uniforms[name].value.set(...lens[name]);
    uniforms.focal.value.set(lens.focal, lens.width, lens.height);
    const far = Math.hypot(...lens.eye) + this.reach + 1;
    uniforms.range.value.set(Math.max(NEAREST, far * 1e-4), far);
    renderer.clear();
    for (const stage of this.stages) renderer.render(stage, this.camera);
  }

  private drop(): void {
    for (const free of this.free) free();
    this.free = [];
    this.stages = [];
  }

  dispose(): void {
    this.drop();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}

/** All solids, eight numbers each, by shape and by whether they shine through. */
function sorted({ space, palette }: SpaceScene): Lists {
  const none = () => ({ boxes: [], spheres: [], tubes: [] }) as Record<SolidKind, number[]>;
  const lists: Lists = { faded: none(), full: none() };
  for (const group of space.groups) {
    for (let at = 0; at < group.count; at += 1) {
      const colour = group.colour[at] ?? 0;
      const list = palette[colour]?.[3] === 255 ? lists.full : lists.faded;
      list[group.kind].push(...texels(group, at, colour));
    }
  }
  return lists;
}

function texels({ kind, place }: Group, at: number, colour: number): number[] {
  const from = at * NUMBERS[kind];
  const number = (offset: number) => place[from + offset] ?? 0;
  const [x, y, z] = [number(0), number(1), number(2)];
  if (kind === "spheres") return [x, y, z, number(3), 0, 0, 0, colour];
  const radius = kind === "tubes" ? number(6) : 0;
  return [x, y, z, radius, number(3), number(4), number(5), colour];
}

function solidTexture(numbers: number[]): DataTexture {
  const rows = Math.max(1, Math.ceil(numbers.length / 4 / ROW));
  const data = new Float32Array(rows * ROW * 4);
  data.set(numbers);
  return exact(new DataTexture(data, ROW, rows, RGBAFormat, FloatType));
}

function paletteTexture(palette: readonly Rgba[]): DataTexture {
  const rows = Math.max(1, Math.ceil(palette.length / PALETTE_ROW));
  const data = new Uint8Array(rows * PALETTE_ROW * 4);
  palette.forEach((colour, at) => {
    data.set(colour, at * 4);
  });
  return exact(new DataTexture(data, PALETTE_ROW, rows, RGBAFormat, UnsignedByteType));
}

/** Numbers, not pictures: nothing is filtered or converted. */
function exact(texture: DataTexture): DataTexture {
  texture.minFilter = NearestFilter;
  texture.magFilter = NearestFilter;
  texture.generateMipmaps = false;
  texture.colorSpace = NoColorSpace;
  texture.needsUpdate = true;
  return texture;
}
