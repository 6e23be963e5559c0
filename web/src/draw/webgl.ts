/**
 * Draws marks with WebGL2.
 *
 * A scene is uploaded once. After that a frame is a handful of uniforms and one draw call a layer, whatever the number
 * of marks, so that panning costs the script next to nothing. A lost context (a driver update, a laptop that slept) is
 * restored from the scene, which stays here for that.
 */
import type { Rgba, Scene } from "../scene/types";
import { colourOf, over } from "./colour";
import { fitCanvas, type Renderer } from "./renderer";
import { BANDS, DENSITY, DISCS, RASTER, RECTS, SEGMENTS } from "./shaders";
import { tickPixel } from "./snap";
import type { View } from "./view";
import { type Kind, type Places, UNIT, type Uploaded, uploadLayer, uploadPalette } from "./webgl-layers";

type Gl = WebGL2RenderingContext;

interface Program extends Places {
  program: WebGLProgram;
  canvas: WebGLUniformLocation | null;
  ratio: WebGLUniformLocation | null;
  move: WebGLUniformLocation | null;
  plot: WebGLUniformLocation | null;
}

const SOURCES = {
  rects: RECTS,
  segments: SEGMENTS,
  discs: DISCS,
  bands: BANDS,
  raster: RASTER,
  density: DENSITY,
} as const;

export class WebglRenderer implements Renderer {
  readonly name = "webgl";
  private programs = new Map<Kind, Program>();
  private layers: Uploaded[] = [];
  private palette: WebGLTexture | null = null;
  private scene: Scene | null = null;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly gl: Gl,
    private readonly onRestored: () => void,
  ) {
    canvas.addEventListener("webglcontextlost", this.lost);
    canvas.addEventListener("webglcontextrestored", this.restored);
  }

  show(scene: Scene | null): void {
    this.free();
    this.scene = scene;
    if (scene === null || this.gl.isContextLost()) return;
    this.palette = uploadPalette(this.gl, scene.palette);
    for (const layer of scene.layers) this.layers.push(uploadLayer(this.gl, layer, scene));
  }

  draw(view: View): void {
    const { gl, scene } = this;
    fitCanvas(this.canvas, view);
    if (gl.isContextLost()) return;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.disable(gl.SCISSOR_TEST);
    if (scene === null) {
      this.clear([0, 0, 0, 0]);
      return;
    }
    this.clear(colourOf(scene, scene.background));
    gl.enable(gl.SCISSOR_TEST);
    this.grid(scene, view);
    this.marks(view);
  }

  /** Grid lines are cleared rather than drawn: they lie beneath everything, and a clear of a few pixels costs nothing. */
  private grid(scene: Scene, view: View): void {
    const { plot, move } = view;
    const colour = over(colourOf(scene, scene.ink.grid), colourOf(scene, scene.background));
    for (const tick of scene.x.ticks) {
      const at = tickPixel(tick, move.scaleX, move.offsetX, plot.x, plot.x + plot.width);
      if (at === null) continue;
      this.clip(view, at, plot.y, 1, plot.height);
      this.clear(colour);
    }
    for (const tick of scene.y.ticks) {
      const at = tickPixel(tick, move.scaleY, move.offsetY, plot.y, plot.y + plot.height);
      if (at === null) continue;
      this.clip(view, plot.x, at, plot.width, 1);
      this.clear(colour);
    }
  }

  private marks(view: View): void {
    const { gl } = this;
    const { plot, move, ratio } = view;
    this.clip(view, plot.x, plot.y, plot.width, plot.height);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.activeTexture(gl.TEXTURE0 + UNIT.palette);
    gl.bindTexture(gl.TEXTURE_2D, this.palette);
    let used: Kind | null = null;
    let program: Program | null = null;
    for (const layer of this.layers) {
      if (program === null || layer.kind !== used) {
        program = this.program(layer.kind);
        used = layer.kind;
        gl.useProgram(program.program);
        gl.uniform2f(program.canvas, this.canvas.width, this.canvas.height);
        gl.uniform1f(program.ratio, ratio);
        gl.uniform4f(program.move, move.scaleX, move.scaleY, move.offsetX, move.offsetY);
        gl.uniform4f(program.plot, plot.x, plot.y, plot.x + plot.width, plot.y + plot.height);
      }
      layer.draw(program, view.opacity);
    }
    gl.disable(gl.BLEND);
    gl.bindVertexArray(null);
  }

  /** Limits drawing to a rectangle of CSS pixels. */
  private clip(view: View, x: number, y: number, width: number, height: number): void {
    const { ratio } = view;
    const left = Math.round(x * ratio);
    const top = Math.round(y * ratio);
    const right = Math.round((x + width) * ratio);
    const bottom = Math.round((y + height) * ratio);
    this.gl.scissor(left, this.canvas.height - bottom, Math.max(0, right - left), Math.max(0, bottom - top));
  }

  private clear([red, green, blue, alpha]: Rgba): void {
    const share = alpha / 255 / 255;
    this.gl.clearColor(red * share, green * share, blue * share, alpha / 255);
    this.gl.clear(this.gl.COLOR_BUFFER_BIT);
  }

  /** Programs are made when the first layer of their kind comes: most panes need one or two. */
  private program(kind: Kind): Program {
    const known = this.programs.get(kind);
    if (known !== undefined) return known;
    const { gl } = this;
    const source = SOURCES[kind];
    const program = gl.createProgram();
    gl.attachShader(program, compile(gl, gl.VERTEX_SHADER, source.vertex));
    gl.attachShader(program, compile(gl, gl.FRAGMENT_SHADER, source.fragment));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(
        `The graphics card refuses to draw ${kind}: ${gl.getProgramInfoLog(program) ?? "no reason given"}`,
      );
    }
    const place = (name: string) => gl.getUniformLocation(program, name);
    gl.useProgram(program);
    gl.uniform1i(place("u_palette"), UNIT.palette);
    gl.uniform1i(place("u_cells"), UNIT.cells);
    gl.uniform1i(place("u_strength"), UNIT.strength);
    gl.uniform1i(place("u_shape"), UNIT.shape);
    const made = {
      program,
      canvas: place("u_canvas"),
      ratio: place("u_ratio"),
      move: place("u_move"),
      plot: place("u_plot"),
      area: place("u_area"),
      tone: place("u_tone"),
    };
    this.programs.set(kind, made);
    return made;
  }

  private readonly lost = (event: Event): void => {
    // Without this the browser never gives the context back.
    event.preventDefault();
  };

  private readonly restored = (): void => {
    // What was made in the lost context is gone already.
    this.programs.clear();
    this.layers = [];
    this.palette = null;
    this.show(this.scene);
    this.onRestored();
  };

  private free(): void {
    for (const layer of this.layers) layer.free();
    this.layers = [];
    this.gl.deleteTexture(this.palette);
    this.palette = null;
  }

  dispose(): void {
    this.canvas.removeEventListener("webglcontextlost", this.lost);
    this.canvas.removeEventListener("webglcontextrestored", this.restored);
    this.free();
    this.scene = null;
    // A page may have about sixteen contexts; the collector is too slow in giving them back.
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

function compile(gl: Gl, type: number, source: string): WebGLShader {
  const shader = gl.createShader(type);
  if (shader === null) throw new Error("The graphics card gives no shader.");
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
    throw new Error(`A shader does not compile: ${gl.getShaderInfoLog(shader) ?? "no reason given"}`);
  }
  return shader;
}
