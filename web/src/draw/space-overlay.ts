/** What lies over a picture in space, on a canvas of its own: texts, the directions, the pointer's solid, a rectangle. */
import { printable } from "../base/format";
import type { SpaceScene } from "../scene/space";
import type { Rect } from "../scene/types";
import { colourOf, css } from "./colour";
import { fitCanvas } from "./renderer";
import { dot, type Lens, see } from "./space-lens";
import type { Solid } from "./space-pick";

const TEXT = 11;
/** The arrows of directions: how long, and how far from the corner. As in figures. */
const ARROW = 32;
const CORNER = 46;
const HALF_CAPITAL = 0.365;

export interface SpaceExtras {
  /** Under the pointer. */
  hovered: Solid | null;
  /** A rectangle that is being drawn. */
  box: Rect | null;
}

export class SpaceOverlay {
  private readonly context: CanvasRenderingContext2D;

  constructor(private readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d");
    if (context === null) throw new Error("This browser cannot draw text on a canvas.");
    this.context = context;
  }

  draw(scene: SpaceScene | null, lens: Lens, ratio: number, { hovered, box }: SpaceExtras): void {
    const { context, canvas } = this;
    const { width, height } = lens;
    fitCanvas(canvas, { width, height, ratio });
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    if (scene === null) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(canvas);
    context.font = `${TEXT}px ${style.getPropertyValue("--font").trim() || "sans-serif"}`;
    context.textAlign = "center";
    this.labels(scene, lens, style.getPropertyValue("--panel").trim());
    this.axes(scene, lens);
    const accent = style.getPropertyValue("--accent").trim() || "royalblue";
    context.strokeStyle = accent;
    context.lineWidth = 2;
    if (hovered !== null) {
      const reach = Math.max(hovered.reach, 5) + 3;
      context.beginPath();
      context.arc(hovered.at.x, hovered.at.y, reach, 0, 2 * Math.PI);
      context.stroke();
    }
    if (box !== null) {
      context.globalAlpha = 0.12;
      context.fillStyle = accent;
      context.fillRect(box.x, box.y, box.width, box.height);
      context.globalAlpha = 1;
      context.lineWidth = 1;
      context.strokeRect(box.x + 0.5, box.y + 0.5, box.width, box.height);
    }
  }

  private labels(scene: SpaceScene, lens: Lens, panel: string): void {
    const { context } = this;
    context.lineJoin = "round";
    const taken: Rect[] = [];
    const stands = standsOf(scene);
    for (const [number, { at, text, colour }] of scene.space.labels.entries()) {
      const seen = see(lens, at);
      if (seen === null) continue;
      const [says, y] = [printable(text), seen.y + TEXT * HALF_CAPITAL];
      const width = context.measureText(says).width;
      const room: Rect = { x: seen.x - width / 2, y: seen.y - TEXT / 2, width, height: TEXT };
      // Of texts that would lie over each other the first is read, and none is wider than what it stands on; coming closer
      // shows the others.
      const stand = stands[number] ?? Number.POSITIVE_INFINITY;
      if (width > (stand * lens.focal) / seen.depth || taken.some((other) => meet(room, other))) continue;
      taken.push(room);
      context.fillStyle = css(colourOf(scene, colour));
      // A rim in the colour of the panel: it is read over sticks too. What has that colour itself stands on something.
      if (isFar(context.fillStyle, panel)) {
        context.strokeStyle = panel;
        context.lineWidth = 3;
        context.strokeText(says, seen.x, y);
      }
      context.fillText(says, seen.x, y);
    }
  }

  private axes(scene: SpaceScene, lens: Lens): void {
    const { context } = this;
    const [x, y] = [CORNER, lens.height - CORNER];
    for (const { towards, name, colour } of scene.space.axes) {
      const [right, down] = [dot(towards, lens.right) * ARROW, -dot(towards, lens.up) * ARROW];
      context.strokeStyle = css(colourOf(scene, colour));
      context.fillStyle = context.strokeStyle;
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x + right, y + down);
      context.stroke();
      const beyond = 1 + 9 / Math.max(Math.hypot(right, down), 1);
      context.fillText(printable(name), x + right * beyond, y + down * beyond + TEXT * HALF_CAPITAL);
    }
  }
}

const known = new WeakMap<SpaceScene, number[]>();

/** How wide the box is that each label of a plan stands on; without bounds where it stands on none. */
function standsOf(scene: SpaceScene): number[] {
  const before = known.get(scene);
  if (before !== undefined) return before;
  const { groups, labels, bounds } = scene.space;
  const boxes = bounds.isPlan === true ? groups.filter(({ kind }) => kind === "boxes") : [];
  const stands = labels.map(({ at }) => {
    let narrowest = Number.POSITIVE_INFINITY;
    for (const { place, count } of boxes)
      for (let box = 0; box < count; box += 1) {
        const [x = 0, y = 0, , wide = 0, deep = 0] = place.subarray(6 * box, 6 * box + 6);
        if (Math.abs(at[0] - x) < wide / 2 && Math.abs(at[1] - y) < deep / 2) narrowest = Math.min(narrowest, wide);
      }
    return narrowest;
  });
  known.set(scene, stands);
  return stands;
}

function meet(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Whether two colours, "#rrggbb", can be told apart at a glance. */
export function isFar(a: string, b: string): boolean {
  const light = (colour: string) =>
    [1, 3, 5].reduce((sum, at) => sum + Number.parseInt(colour.slice(at, at + 2), 16), 0);
  // What shines through is no such colour, and counts as far.
  return !(Math.abs(light(a) - light(b)) <= 240);
}
