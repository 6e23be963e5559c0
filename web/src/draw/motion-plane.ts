/**
 * Messages in motion on a plane: links and nodes by their activity on one canvas, drawn when that changes, and messages on
 * another one above it, drawn with every frame.
 */
import type { Moving, PlaneMarks } from "../scene/motion";
import type { Point, Rect, Rgba } from "../scene/types";
import { css } from "./colour";
import { type Dots, NUMBERS, PIPE_NUMBERS } from "./motion-dots";
import { fitCanvas } from "./renderer";

/** Tones of the scale that are told apart: each is one call to draw. */
const TONES = 24;
/** Pixels of a dot, from its middle; pipes and the selected way are thinner. As in figures. */
const DOT = [2.2, 6] as const;
const PIPE = 0.55;
const SELECTED = 0.4;
/** Pixels of links and nodes. As in figures. */
const LINE = [0.8, 10] as const;
const NODE = [1, 14] as const;
/** A dot is hit from so many pixels further away. */
const NEAR = 4;

/** Where a plane lies on a canvas: pixel = (place - from) * scale + plot. */
export interface PlaneView {
  width: number;
  height: number;
  ratio: number;
  plot: Rect;
  from: Point;
  scale: number;
}

export interface PlaneFrame {
  marks: PlaneMarks;
  links: Uint8Array;
  nodes: Uint8Array;
  /** Colours of the scale of activity, 256 of them. */
  ramp: readonly Rgba[];
}

const clamp = (value: number, [least, most]: readonly [number, number]) => Math.max(least, Math.min(value, most));

export class PlaneMotion {
  readonly ground = document.createElement("canvas");
  readonly above = document.createElement("canvas");
  private readonly on: CanvasRenderingContext2D;
  private readonly over: CanvasRenderingContext2D;
  private radius: number = DOT[0];

  constructor() {
    const [on, over] = [this.ground.getContext("2d"), this.above.getContext("2d")];
    if (on === null || over === null) throw new Error("This browser cannot draw on a canvas.");
    this.on = on;
    this.over = over;
    this.ground.className = "pane-text";
    this.above.className = "pane-text";
  }

  /** Links and nodes, the busy ones above the others. */
  drawActivity(view: PlaneView, { marks, links, nodes, ramp }: PlaneFrame): void {
    const { on: context, ground } = this;
    begin(context, ground, view);
    const { plot, from, scale } = view;
    const [x0, y0] = [plot.x - from.x * scale, plot.y - from.y * scale];
    const { linkId, linkAt, nodeId, nodeAt, sizes } = marks;
    context.lineWidth = clamp(sizes[0] * scale, LINE);
    const toned = tones(linkId, links);
    for (let tone = 0; tone < TONES; tone += 1) {
      const list = toned[tone] ?? [];
      if (list.length === 0) continue;
      context.strokeStyle = css(ramp[toneValue(tone)] ?? [0, 0, 0, 255]);
      context.beginPath();
      for (const at of list) {
        context.moveTo(x0 + (linkAt[4 * at] ?? 0) * scale, y0 + (linkAt[4 * at + 1] ?? 0) * scale);
        context.lineTo(x0 + (linkAt[4 * at + 2] ?? 0) * scale, y0 + (linkAt[4 * at + 3] ?? 0) * scale);
      }
      context.stroke();
    }
    const side = clamp(sizes[1] * scale, NODE);
    const nodeTones = tones(nodeId, nodes);
    for (let tone = 0; tone < TONES; tone += 1) {
      context.fillStyle = css(ramp[toneValue(tone)] ?? [0, 0, 0, 255]);
      for (const at of nodeTones[tone] ?? []) {
        const [x, y] = [x0 + (nodeAt[2 * at] ?? 0) * scale, y0 + (nodeAt[2 * at + 1] ?? 0) * scale];
        context.fillRect(x - side / 2, y - side / 2, side, side);
      }
    }
    context.restore();
  }

  /** Messages, and the way of the selected one. */
  drawDots(view: PlaneView, moving: Moving, dots: Dots, look: { accent: string; rim: string }): void {
    const { over: context, above } = this;
    begin(context, above, view);
    const { plot, from, scale } = view;
    const x = (place: number) => plot.x + (place - from.x) * scale;
    const y = (place: number) => plot.y + (place - from.y) * scale;
    this.radius = clamp(moving.dot * scale, DOT);
    const { radius } = this;
    context.lineCap = "round";
    const [first, points] = moving.selectedWay;
    if (points > 0) {
      context.strokeStyle = look.accent;
      context.lineWidth = Math.max(2, 2 * radius * SELECTED);
      context.beginPath();
      let isDown = false;
      for (let point = first; point < first + points; point += 1) {
        const [px, py] = [moving.place[4 * point] ?? 0, moving.place[4 * point + 1] ?? 0];
        if (Number.isNaN(px)) isDown = false;
        else if (isDown) context.lineTo(x(px), y(py));
        else {
          context.moveTo(x(px), y(py));
          isDown = true;
        }
      }
      context.stroke();
    }
    const colour = (share: number) =>
      css(moving.colours[Math.round(share * (moving.colours.length - 1))] ?? [0, 0, 0, 255]);
    context.lineWidth = 2 * radius * PIPE;
    for (let at = 0; at < dots.pipeCount * PIPE_NUMBERS; at += PIPE_NUMBERS) {
      const { pipes } = dots;
      context.strokeStyle = colour(pipes[at + 6] ?? 0);
      context.beginPath();
      context.moveTo(x(pipes[at] ?? 0), y(pipes[at + 1] ?? 0));
      context.lineTo(x(pipes[at + 3] ?? 0), y(pipes[at + 4] ?? 0));
      context.stroke();
    }
    context.lineWidth = 1;
    for (let at = 0; at < dots.count * NUMBERS; at += NUMBERS) {
      const isSelected = moving.row[dots.data[at + 4] ?? 0] === moving.selected;
      context.fillStyle = colour(dots.data[at + 3] ?? 0);
      context.strokeStyle = isSelected ? look.accent : look.rim;
      context.lineWidth = isSelected ? 3 : 1;
      context.beginPath();
      context.arc(x(dots.data[at] ?? 0), y(dots.data[at + 1] ?? 0), isSelected ? radius + 2 : radius, 0, 7);
      context.fill();
      context.stroke();
    }
    context.restore();
  }

  /** The message at a point, as a number in the list. */
  dotAt({ plot, from, scale }: PlaneView, dots: Dots, at: Point): number | null {
    let [best, least] = [null as number | null, this.radius + NEAR];
    for (let index = 0; index < dots.count * NUMBERS; index += NUMBERS) {
      const x = plot.x + ((dots.data[index] ?? 0) - from.x) * scale;
      const y = plot.y + ((dots.data[index + 1] ?? 0) - from.y) * scale;
      const apart = Math.hypot(at.x - x, at.y - y);
      if (apart <= least) [best, least] = [dots.data[index + 4] ?? 0, apart];
    }
    return best;
  }

  clear(): void {
    for (const canvas of [this.ground, this.above]) canvas.width = canvas.width + 0;
  }
}

function begin(context: CanvasRenderingContext2D, canvas: HTMLCanvasElement, view: PlaneView): void {
  fitCanvas(canvas, view);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
  context.save();
  context.beginPath();
  context.rect(view.plot.x, view.plot.y, view.plot.width, view.plot.height);
  context.clip();
}

/** Which marks have which tone. */
function tones(ids: Uint32Array, values: Uint8Array): number[][] {
  const lists: number[][] = Array.from({ length: TONES }, () => []);
  for (let at = 0; at < ids.length; at += 1) {
    const value = values[ids[at] ?? 0] ?? 0;
    const tone = value === 0 ? 0 : 1 + Math.floor(((value - 1) / 255) * (TONES - 1));
    lists[tone]?.push(at);
  }
  return lists;
}

/** The middle of a tone, from 0 to 255. */
function toneValue(tone: number): number {
  return tone === 0 ? 0 : Math.min(255, Math.round(((tone - 0.5) / (TONES - 1)) * 255));
}

/** 256 colours between those of a scale. */
export function rampOf(palette: readonly Rgba[], colours: readonly number[]): Rgba[] {
  return Array.from({ length: 256 }, (_, at) => {
    const id = colours[Math.round((at / 255) * (colours.length - 1))] ?? 0;
    return palette[id] ?? [128, 128, 128, 255];
  });
}
