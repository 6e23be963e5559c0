/** What the pointer does in a pane: it zooms and pans, selects, brushes, measures and scrolls. */
import { type Choosing, fetchChoice } from "../api/client";
import type { Selection } from "../api/selection";
import { formatDuration } from "../base/format";
import type { PlaneView } from "../draw/motion-plane";
import type { Extras } from "../draw/overlay";
import { type View as Layout, type Range, toScene } from "../draw/view";
import type { Point, Rect } from "../scene/types";
import {
  acrossIn,
  brushTool,
  go,
  isOfTime,
  isWhole,
  place,
  ruler,
  rulerTool,
  say,
  type WindowName,
  wholeRun,
  windowOf,
  withWindow,
} from "../state/state";
import type { Along, Ground, Hand, Stretch, Windows } from "./gestures";
import type { Listing } from "./listing";
import { explain, type Failure, type LoadedScene, type SceneRequest } from "./loader";
import { type Held, Measuring, SNAP } from "./measuring";
import type { MotionLayer } from "./motion-layer";
import { valueAt } from "./navigate";
import type { PaneView, Picture } from "./pane-view";
import type { Pointer, Target } from "./pointer";
import { rulerWords } from "./time-marks";

/** Clicks closer to each other may be one double-click; systems let people set it, browsers do not tell. */
const DOUBLE_CLICK_MS = 1000;

/** What the hand has to know of its pane, and what it tells it. */
export interface HeldPane {
  shown(): LoadedScene | null;
  layout(): Layout | null;
  target(): Target | null;
  picture(): Picture | null;
  /** What is at the edges of a plane of this size; null in other panes. */
  edges(plot: Rect): { across: [number, number]; down: [number, number] } | null;
  planeView(layout: Layout): PlaneView | null;
  /** What is drawn of the hand: a range, and a rectangle; undefined leaves them as they are. */
  marks(range: Extras["range"] | undefined, brushing: Rect | null | undefined): void;
  failed(why: Failure): void;
}

export class PaneHand implements Hand {
  private readonly measuring = new Measuring();
  private isBrushing = false;
  private clickedAt = Number.NEGATIVE_INFINITY;
  private selectedBefore: Selection | null = null;

  constructor(
    private readonly options: { id: string; view: PaneView },
    private readonly pointer: Pointer,
    private readonly listing: Listing | null,
    private readonly motion: MotionLayer | null,
    private readonly pane: HeldPane,
  ) {}

  /** The window of its horizontal axis. */
  private get across(): WindowName | null {
    return acrossIn(this.options.id, this.options.view);
  }

  /** Whether its two directions have one scale. */
  private get isPlane(): boolean {
    return this.across === "across";
  }

  ground(): Ground | null {
    const [shown, layout] = [this.pane.shown(), this.pane.layout()];
    if (shown === null || layout === null) return null;
    const { x, y } = shown.scene;
    const { plot } = layout;
    const along = (name: WindowName): Along => ({ window: windowOf(name), isWhole: isWhole(name) });
    const { view } = this.options;
    const canBrush = (y.scale !== null && view.brush !== undefined) || view.area === true;
    const edges = this.pane.edges(plot);
    const across = x.kind === "values" || this.across === null ? null : along(this.across);
    const down = y.kind === "rows" ? along("rows") : null;
    const onPlane = (window: Range | undefined): Along | null => (window ? { window, isWhole: false } : null);
    return {
      plot,
      across: this.isPlane ? onPlane(edges?.across) : across,
      down: this.isPlane ? onPlane(edges?.down) : down,
      isOneScale: this.isPlane,
      scrolls: this.listing !== null,
      shift: this.options.view.chooses ? "choose" : "range",
      brush: !canBrush ? "none" : brushTool.value ? "always" : "alt",
      measure: x.kind !== "time" ? "none" : rulerTool.value ? "always" : "ctrl",
    };
  }

  hover(at: Point | null): void {
    this.pointer.hover(at);
  }

  click(at: Point, adds: boolean): void {
    const now = performance.now();
    if (now - this.clickedAt > DOUBLE_CLICK_MS) this.selectedBefore = place.value.selected;
    this.clickedAt = now;
    const layout = this.pane.layout();
    if (!adds && this.motion?.isOn && layout !== null && this.motion.selectAt(this.pane.planeView(layout), at)) return;
    const question = adds && this.options.view.chooses ? this.pointer.question(at) : null;
    if (question === null) this.pointer.pick(at);
    else void this.choice(question.request, { at_x: String(question.at.x), at_y: String(question.at.y) }, "toggle");
  }

  navigate({ across, down }: Windows, how: "push" | "live"): void {
    const isCloser = this.across === "closer";
    const own = across && this.across !== null ? withWindow(this.across, across) : {};
    go({ ...own, ...(down && !isCloser && { [this.isPlane ? "down" : "rows"]: down }) }, how);
  }

  choose(rect: Rect, adds: boolean): void {
    const target = this.pane.target();
    if (target === null) return;
    const { move } = target.view;
    const [from, to] = [toScene(move, rect), toScene(move, { x: rect.x + rect.width, y: rect.y + rect.height })];
    const area = [from.x, from.y, to.x - from.x, to.y - from.y].map((side) => side.toFixed(1)).join(":");
    void this.choice(target.loaded.request, { area }, adds ? "add" : "replace");
  }

  measure(stretch: { from: Point; to: Point } | null, done: boolean): void {
    if (stretch === null) {
      this.measuring.cancel();
      return;
    }
    const [from, to] = [this.measuring.isOn ? null : this.held(stretch.from), this.held(stretch.to)];
    if (from !== null) this.measuring.begin(from);
    if (to !== null) this.measuring.drag(to);
    if (!done) return;
    this.measuring.end();
    rulerTool.value = false;
    if (ruler.value !== null) say(`Measured ${rulerWords(ruler.value)}. Esc takes the ruler away.`);
  }

  /** The moment at a point, and what to ask about calls near it. */
  private held(at: Point): Held | null {
    const [x, layout, across] = [this.pane.shown()?.scene.x, this.pane.layout(), this.across];
    if (layout === null || x?.kind !== "time") return null;
    const { plot } = layout;
    const window = across !== null && isOfTime(across) ? windowOf(across) : ([x.from, x.to] as const);
    const left = Math.max(plot.x, Math.min(at.x, plot.x + plot.width));
    const reach = Math.max((SNAP * (window[1] - window[0])) / Math.max(plot.width, 1), 1);
    const question = this.pointer.question({ x: left, y: at.y });
    return { time: valueAt(window, plot.x, plot.width, left), reach, question };
  }

  /** Selects what the server says that one points at. */
  private async choice(
    { trace, view, params }: SceneRequest,
    pointed: Parameters<typeof fetchChoice>[3],
    how: Choosing,
  ): Promise<void> {
    const { selected } = place.value;
    try {
      const { select } = await fetchChoice(trace, view, params, pointed, how);
      // A newer selection is not undone by an older hand.
      if (place.value.selected !== selected) return;
      if (select === null && this.options.view.area)
        say("These ranks are too scattered to be selected together: choose fewer rows.");
      else go({ selected: select }, "push");
    } catch (error) {
      this.pane.failed(explain(error));
    }
  }

  scroll(pixels: number): void {
    this.listing?.scroll(pixels);
  }

  fit(): void {
    // A list is no axis: two clicks on a line are two clicks.
    if (this.listing !== null) return;
    // The first of the two clicks may have selected something; it was not meant to.
    this.pointer.cancelPick();
    if (this.across === "closer") go({ closer: null, selected: this.selectedBefore }, "push");
    else if (this.isPlane) go({ across: null, down: null, selected: this.selectedBefore }, "push");
    else if (this.across?.startsWith("own:"))
      go({ ...withWindow(this.across, null), selected: this.selectedBefore }, "push");
    else wholeRun({ selected: this.selectedBefore });
  }

  select(range: Stretch | null): void {
    const length = range === null ? 0 : range.across[1] - range.across[0];
    const text = isOfTime(this.across) ? formatDuration(length) : `${length.toFixed(1)} ${this.across}`;
    this.pane.marks(range === null ? null : { from: range.from, to: range.to, text }, undefined);
  }

  brushes(rect: Rect | null): void {
    if (rect === null && !this.isBrushing) return;
    this.isBrushing = rect !== null;
    this.pane.marks(undefined, rect);
  }

  brush(rect: Rect): void {
    if (this.options.view.area) {
      this.choose(rect, false);
      return;
    }
    const picture = this.pane.picture();
    const scale = picture?.scene.y.scale;
    if (!picture || !scale) return;
    const row = (y: number) => toScene(picture.layout.move, { x: 0, y }).y;
    const selected = this.options.view.brush?.(rect, [row(rect.y), row(rect.y + rect.height)], scale, picture);
    if (selected !== undefined) go({ selected }, "push");
  }

  dispose(): void {
    this.measuring.dispose();
  }
}
