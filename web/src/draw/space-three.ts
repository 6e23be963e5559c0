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
  OneFactor,
  OneMinusSrcAlphaFactor,
  RawShaderMaterial,
  RGBAFormat,
  Scene as Stage,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { type Group, NUMBERS, type SolidKind, type SpaceScene } from "../scene/space";
import type { Rgba } from "../scene/types";
import { type Lens, NEAREST } from "./space-lens";
import { exact, Heat, type HeatValues, MovingSolids, paletteTexture } from "./space-moving";
import { FRAGMENT, ROW, VERTEX, VERTICES } from "./space-shaders";

const KINDS = ["boxes", "spheres", "tubes"] as const satisfies readonly SolidKind[];

/** Solids of one shape, eight numbers each, and what each stands for. */
interface List {
  numbers: number[];
  of: (Group["of"] | null)[];
  ids: number[];
}

/** Of what recedes and of what stands out, which is drawn above it: one list of solids of each shape. */
interface Lists {
  faded: Record<SolidKind, List>;
  full: Record<SolidKind, List>;
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
    heat: { value: null },
    ramp: { value: null as DataTexture | null },
    hot: { value: 0 },
    paper: { value: new Vector3() },
  };
  /** What solids do now. */
  private heats: Heat[] = [];
  /** Messages on their way. */
  private readonly moving = new MovingSolids();
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
    const [red = 0, green = 0, blue = 0] = scene.palette[scene.background] ?? [];
    this.uniforms.paper.value.set(red / 255, green / 255, blue / 255);
    const lists = sorted(scene);
    this.stages = [this.stage(lists.faded, false), this.stage(lists.full, true)];
  }

  /** Colours solids by what they do now, of links and nodes from 0 to 255; null as the scene has them. */
  heat(values: HeatValues | null, ramp: readonly Rgba[]): void {
    this.uniforms.hot.value = values === null ? 0 : 1;
    if (values === null) return;
    if (this.uniforms.ramp.value === null) this.uniforms.ramp.value = paletteTexture(ramp);
    for (const heat of this.heats) heat.show(values);
  }

  /** The messages on their way. */
  get messages(): MovingSolids {
    return this.moving;
  }

  private stage(lists: Record<SolidKind, List>, isFull: boolean): Stage {
    const stage = new Stage();
    stage.matrixWorldAutoUpdate = false;
    for (const kind of KINDS) {
      const { numbers, of, ids } = lists[kind];
      if (numbers.length === 0) continue;
      const texture = solidTexture(numbers);
      const heat = new Heat(of, ids);
      this.heats.push(heat);
      const material = new RawShaderMaterial({
        vertexShader: VERTEX[kind],
        fragmentShader: FRAGMENT,
        glslVersion: GLSL3,
        uniforms: { ...this.uniforms, solids: { value: texture }, heat: { value: heat.texture } },
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
        heat.texture.dispose();
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
    renderer.render(this.moving.stage(this.uniforms), this.camera);
  }

  private drop(): void {
    for (const free of this.free) free();
    this.free = [];
    this.stages = [];
    this.heats = [];
    this.uniforms.ramp.value?.dispose();
    this.uniforms.ramp.value = null;
  }

  dispose(): void {
    this.drop();
    this.moving.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}

/** All solids, eight numbers each, by shape and by whether they shine through. */
function sorted({ space, palette, legend }: SpaceScene): Lists {
  // What the legend names, such as frames in the colour of a layer, keeps its colour whatever it does.
  const named = new Set<number>(legend.map(({ colour }) => colour));
  const list = (): List => ({ numbers: [], of: [], ids: [] });
  const none = () => ({ boxes: list(), spheres: list(), tubes: list() }) as Record<SolidKind, List>;
  const lists: Lists = { faded: none(), full: none() };
  for (const group of space.groups) {
    for (let at = 0; at < group.count; at += 1) {
      const colour = group.colour[at] ?? 0;
      const list = (palette[colour]?.[3] === 255 ? lists.full : lists.faded)[group.kind];
      list.numbers.push(...texels(group, at, colour));
      list.of.push(named.has(colour) ? null : group.of);
      list.ids.push(group.id[at] ?? 0);
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
