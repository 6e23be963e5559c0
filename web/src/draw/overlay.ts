/**
 * Everything around and above the marks, on a 2D canvas of its own: axes, ticks and their labels, labels in the plot,
 * the box around what is under the pointer, and a range that is being selected.
 *
 * Text is drawn by the browser in the page's font, sharp at any zoom. Its widths are measured once a scene, not once a
 * frame. Places follow the figures of `heddle render`.
 */
import { printable } from "../base/format";
import type { ColourId, Label, Rect, Scene, Tick } from "../scene/types";
import { colourOf, css } from "./colour";
import { fitCanvas } from "./renderer";
import { tickPixel } from "./snap";
import { contains, toCanvas, type View } from "./view";

const SMALL = 11;
/** Free space beside texts. */
const EDGE = 8;
const TICK = 4;
/** Half the height of a capital, as a share of the font's size. */
const HALF_CAPITAL = 0.365;

/** What is drawn above the scene for a moment. */
export interface Extras {
  /** Around what is under the pointer; pixels of the scene. */
  box: Rect | null;
  /** A range of time that is being selected; pixels of the canvas. */
  range: { from: number; to: number; text: string } | null;
  /** A rectangle that is or was brushed; pixels of the canvas. */
  brush: { rect: Rect; text: string } | null;
  /** What other panes show of the time; pixels of the canvas. */
  stretch: { from: number; to: number } | null;
  /**
   * Where stages of the run begin, and what they are called; pixels of the canvas. Without names there are lines only. A plain
   * word is said whole or not at all; the name of a function may be shortened.
   */
  stages: { from: number; to: number; text: string; isWord: boolean }[];
  /** The moment at which messages are seen on their way; a pixel of the canvas. */
  moment: number | null;
  /** Numbered places of which a panel speaks: a stretch of time below some height; pixels of the canvas. */
  pins: { from: number; to: number; y: number; text: string }[];
}

export const NO_EXTRAS: Extras = {
  box: null,
  range: null,
  brush: null,
  stretch: null,
  stages: [],
  moment: null,
  pins: [],
};

const PIN = 8;

interface Text {
  says: string;
  width: number;
}

interface Prepared {
  xTicks: { tick: Tick; text: Text }[];
  yTicks: { tick: Tick; text: Text }[];
  labels: { label: Label; says: string; inPlot: boolean }[];
  xTitle: Text;
  yTitle: Text;
}

export class Overlay {
  private scene: Scene | null = null;
  private prepared: Prepared | null = null;
  private readonly context: CanvasRenderingContext2D;
  private font = "sans-serif";
  private accent = "";
  private panel = "";

  constructor(private readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d");
    if (context === null) throw new Error("This browser cannot draw text on a canvas.");
    this.context = context;
  }

  /** Takes a new scene. To be called again when fonts have arrived. */
  show(scene: Scene | null): void {
    this.scene = scene;
    const style = getComputedStyle(this.canvas);
    this.font = style.getPropertyValue("--font").trim() || "sans-serif";
    this.accent = style.getPropertyValue("--accent").trim() || "royalblue";
    this.panel = style.getPropertyValue("--panel").trim() || "white";
    this.prepared = scene === null ? null : this.prepare(scene);
  }

  private prepare(scene: Scene): Prepared {
    this.context.font = this.small();
    const ticks = (list: Tick[], room: number) => list.map((tick) => ({ tick, text: this.fit(tick.label, room) }));
    return {
      xTicks: ticks(scene.x.ticks, scene.width - 4),
      yTicks: ticks(scene.y.ticks, scene.plot.x - EDGE - 2),
      labels: scene.labels.map((label) => ({
        label,
        says: printable(label.text),
        inPlot: contains(scene.plot, label.at),
      })),
      xTitle: this.fit(scene.x.title, scene.plot.width),
      yTitle: this.fit(scene.y.title, scene.width - EDGE),
    };
  }

  draw(view: View, extras: Extras): void {
    const { context, scene, prepared } = this;
    fitCanvas(this.canvas, view);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (scene === null || prepared === null) return;
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    context.font = this.small();
    context.textBaseline = "alphabetic";
    this.frame(scene, view);
    this.titles(scene, view, prepared);
    this.xAxis(scene, view, prepared);
    this.yAxis(scene, view, prepared);
    this.beside(scene);
    this.labels(scene, view, prepared);
    this.extras(scene, view, extras);
  }

  /** The frame lies outside of the plot: it covers no data. */
  private frame(scene: Scene, { plot }: View): void {
    if (plot.width < 1 || plot.height < 1) return;
    this.ink(scene, scene.ink.line);
    this.context.fillRect(plot.x - 1, plot.y, 1, plot.height + 1);
    this.context.fillRect(plot.x - 1, plot.y + plot.height, plot.width + 1, 1);
  }

  /** What the axes measure. The vertical one says so above its labels, if the scene leaves room there. */
  private titles(scene: Scene, view: View, { xTitle, yTitle }: Prepared): void {
    const { plot } = view;
    this.ink(scene, scene.ink.faint);
    if (yTitle.says !== "" && plot.y >= SMALL + 10) {
      const fits = yTitle.width <= plot.x - EDGE - 2;
      const [says, at] = fits ? [yTitle.says, plot.x - EDGE] : [`↑ ${yTitle.says}`, plot.x];
      this.text(says, at, plot.y - 10, fits ? "end" : "start");
    }
    if (xTitle.says !== "") this.text(xTitle.says, plot.x + plot.width, this.xTitleLine(view), "end");
  }

  /** Below the labels, or at the end of their line in a low picture. */
  private xTitleLine({ plot, height }: View): number {
    const below = plot.y + plot.height + 31;
    return below <= height - 4 ? below : plot.y + plot.height + 16;
  }

  private xAxis(scene: Scene, view: View, { xTicks, xTitle }: Prepared): void {
    const { plot, move, width } = view;
    const bottom = plot.y + plot.height;
    const baseline = bottom + 16;
    const beside = xTitle.says !== "" && this.xTitleLine(view) <= baseline;
    const end = beside ? plot.x + plot.width - xTitle.width - 6 : width - 2;
    let free = 2;
    for (const { tick, text } of xTicks) {
      const at = tickPixel(tick, move.scaleX, move.offsetX, plot.x, plot.x + plot.width);
      if (at === null) continue;
      this.ink(scene, scene.ink.line);
      this.context.fillRect(at, bottom + 1, 1, TICK);
      const half = text.width / 2;
      const middle = Math.max(2 + half, Math.min(at + 0.5, width - 2 - half));
      if (middle - half < free || middle + half > end) continue;
      free = middle + half + 6;
      this.ink(scene, scene.ink.text);
      this.text(text.says, middle, baseline, "center");
    }
  }

  private yAxis(scene: Scene, { plot, move }: View, { yTicks }: Prepared): void {
    let last = Number.NEGATIVE_INFINITY;
    for (const { tick, text } of yTicks) {
      const at = tickPixel(tick, move.scaleY, move.offsetY, plot.y, plot.y + plot.height);
      if (at === null) continue;
      this.ink(scene, scene.ink.line);
      this.context.fillRect(plot.x - 1 - TICK, at, TICK, 1);
      if (Math.abs(at - last) < SMALL) continue;
      last = at;
      this.ink(scene, scene.ink.text);
      this.text(text.says, plot.x - EDGE, at + 0.5 + SMALL * HALF_CAPITAL, "end");
    }
  }

  private beside(scene: Scene): void {
    const { beside } = scene;
    if (beside === null) return;
    for (let at = 0; at < beside.count; at += 1) {
      const [x = 0, y = 0, width = 0, height = 0] = beside.rect.subarray(at * 4, at * 4 + 4);
      this.ink(scene, beside.colour[at] ?? 0);
      this.context.fillRect(x, y, width, height);
    }
  }

  /** Labels in the plot move with its marks and are cut at its edge; others stay where they are. */
  private labels(scene: Scene, view: View, { labels }: Prepared): void {
    const { context } = this;
    if (labels.length === 0) return;
    const { plot, move } = view;
    const align = { start: "start", middle: "center", end: "end" } as const;
    for (const inPlot of [false, true]) {
      context.save();
      if (inPlot) this.clip(plot);
      for (const { label, says, inPlot: isInside } of labels) {
        if (isInside !== inPlot) continue;
        const x = inPlot ? label.at.x * move.scaleX + move.offsetX : label.at.x;
        const y = inPlot ? label.at.y * move.scaleY + move.offsetY : label.at.y;
        if (inPlot && !contains(plot, { x, y })) continue;
        context.font = `${Math.max(1, Math.min(label.size, 256))}px ${this.font}`;
        this.ink(scene, label.colour);
        this.text(says, x, y, align[label.anchor]);
      }
      context.restore();
    }
  }

  private extras(scene: Scene, view: View, { box, range, brush, stretch, stages, moment, pins }: Extras): void {
    const { context } = this;
    const { plot } = view;
    if (stages.length > 0) this.stages(scene, stages, plot);
    if (stretch !== null) this.stretch(scene, stretch, plot);
    if (moment !== null && moment >= plot.x && moment <= plot.x + plot.width) {
      context.fillStyle = this.accent;
      context.fillRect(Math.round(moment) - 1, plot.y, 2, plot.height);
    }
    if (box === null && range === null && brush === null && pins.length === 0) return;
    context.save();
    this.clip(plot);
    if (brush !== null) this.brush(brush, plot);
    for (const pin of pins) this.pin(scene, pin, plot);
    if (box !== null) {
      const { x, y, width, height } = toCanvas(view.move, box);
      const left = Math.floor(x);
      const top = Math.floor(y);
      const right = Math.max(left + 1, Math.round(x + width));
      const bottom = Math.max(top + 1, Math.round(y + height));
      context.lineWidth = 1;
      // A line of the background beside the dark one keeps it visible on a dark mark.
      context.strokeStyle = this.panel;
      context.strokeRect(left - 1.5, top - 1.5, right - left + 3, bottom - top + 3);
      context.strokeStyle = css(colourOf(scene, scene.ink.strong));
      context.strokeRect(left - 0.5, top - 0.5, right - left + 1, bottom - top + 1);
    }
    if (range !== null) this.range(range, plot);
    context.restore();
  }

  /** A thin line where a stage begins, and its name above the plot as far as there is room. */
  private stages(scene: Scene, stages: Extras["stages"], plot: Rect): void {
    for (const { from, to, text, isWord } of stages) {
      if (from > plot.x + plot.width || to < plot.x) continue;
      const left = Math.round(from);
      this.ink(scene, scene.ink.faint);
      const top = text === "" ? plot.y : plot.y - SMALL - 3;
      if (left > plot.x) this.context.fillRect(left, top, 1, plot.y + plot.height - top);
      this.ink(scene, scene.ink.text);
      const start = Math.max(left, plot.x) + 5;
      const { says } = this.fit(text, Math.min(to, plot.x + plot.width) - start - 2);
      if (says.length > 3 && (says === text || !isWord)) this.text(says, start, plot.y - 5, "start");
    }
  }

  /** A bar on the axis. */
  private stretch(scene: Scene, { from, to }: { from: number; to: number }, plot: Rect): void {
    const left = Math.max(plot.x, Math.round(from));
    const right = Math.min(plot.x + plot.width, Math.max(Math.round(to), left + 3));
    if (right <= left) return;
    this.ink(scene, scene.ink.text);
    this.context.fillRect(left, plot.y + plot.height, right - left, 3);
  }

  private brush({ rect, text }: { rect: Rect; text: string }, plot: Rect): void {
    const { context } = this;
    const [left, top] = [Math.round(rect.x), Math.round(rect.y)];
    const [width, height] = [Math.max(2, Math.round(rect.width)), Math.max(2, Math.round(rect.height))];
    context.fillStyle = this.accent;
    context.globalAlpha = 0.1;
    context.fillRect(left, top, width, height);
    context.globalAlpha = 1;
    context.strokeStyle = this.accent;
    context.lineWidth = 1.5;
    context.strokeRect(left, top, width, height);
    if (text === "") return;
    const room = context.measureText(text).width;
    const x = Math.max(plot.x + 2, Math.min(left, plot.x + plot.width - room - 4));
    const above = top - 5 >= plot.y + SMALL;
    this.halo(text, x, above ? top - 5 : top + SMALL + 4, this.accent);
  }

  /** A number in a disc, and a line as long as what it speaks of. */
  private pin(scene: Scene, { from, to, y, text }: Extras["pins"][number], plot: Rect): void {
    const { context } = this;
    const [left, right] = [Math.max(from, plot.x), Math.min(to, plot.x + plot.width)];
    if (right < left) return;
    const middle = Math.max(plot.x + PIN + 2, Math.min((left + right) / 2, plot.x + plot.width - PIN - 2));
    this.ink(scene, scene.ink.strong);
    context.fillRect(Math.round(left), Math.round(y) - 1, Math.max(1, Math.round(right - left)), 1);
    for (const [colour, radius] of [
      [this.panel, PIN + 1.5],
      [css(colourOf(scene, scene.ink.strong)), PIN],
    ] as const) {
      context.fillStyle = colour;
      context.beginPath();
      context.arc(middle, y, radius, 0, 7);
      context.fill();
    }
    context.fillStyle = this.panel;
    context.font = `bold ${SMALL}px ${this.font}`;
    this.text(text, middle, y + SMALL * HALF_CAPITAL, "center");
    context.font = this.small();
  }

  /** Text that can be read on any ground. */
  private halo(says: string, x: number, y: number, colour: string): void {
    const { context } = this;
    context.textAlign = "start";
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = this.panel;
    context.strokeText(says, x, Math.round(y));
    context.fillStyle = colour;
    this.text(says, x, y, "start");
  }

  private range({ from, to, text }: { from: number; to: number; text: string }, plot: Rect): void {
    const { context } = this;
    const left = Math.round(Math.min(from, to));
    const width = Math.max(1, Math.round(Math.abs(to - from)));
    context.fillStyle = this.accent;
    context.globalAlpha = 0.16;
    context.fillRect(left, plot.y, width, plot.height);
    context.globalAlpha = 1;
    context.fillRect(left, plot.y, 1, plot.height);
    context.fillRect(left + width - 1, plot.y, 1, plot.height);
    const textWidth = context.measureText(text).width;
    const middle = Math.max(
      plot.x + textWidth / 2 + 6,
      Math.min(left + width / 2, plot.x + plot.width - textWidth / 2 - 6),
    );
    context.fillStyle = this.panel;
    context.fillRect(middle - textWidth / 2 - 4, plot.y + 4, textWidth + 8, SMALL + 6);
    context.fillStyle = this.accent;
    this.text(text, middle, plot.y + SMALL + 6, "center");
  }

  private clip({ x, y, width, height }: Rect): void {
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
  }

  private small(): string {
    return `${SMALL}px ${this.font}`;
  }

  private ink(scene: Scene, colour: ColourId): void {
    this.context.fillStyle = css(colourOf(scene, colour));
  }

  private text(says: string, x: number, y: number, align: CanvasTextAlign): void {
    this.context.textAlign = align;
    this.context.fillText(says, x, Math.round(y));
  }

  /** Harmless text, cut with an ellipsis to at most `room` pixels. */
  private fit(text: string, room: number): Text {
    const width = (says: string) => this.context.measureText(says).width;
    let says = printable(text);
    if (width(says) > room) {
      const characters = [...says];
      let [kept, lost] = [0, characters.length];
      while (lost - kept > 1) {
        const half = (kept + lost) >> 1;
        if (width(`${characters.slice(0, half).join("")}…`) <= room) kept = half;
        else lost = half;
      }
      says = kept === 0 ? "" : `${characters.slice(0, kept).join("")}…`;
    }
    return { says, width: width(says) };
  }
}
