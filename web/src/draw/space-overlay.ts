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
    for (const { at, text, colour } of scene.space.labels) {
      const seen = see(lens, at);
      if (seen === null) continue;
      const [says, y] = [printable(text), seen.y + TEXT * HALF_CAPITAL];
      // A rim in the colour of the panel: it is read over sticks too.
      context.strokeStyle = panel;
      context.lineWidth = 3;
      context.strokeText(says, seen.x, y);
      context.fillStyle = css(colourOf(scene, colour));
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
