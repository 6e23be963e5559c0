/**
 * What a pane does: asks for scenes, shows the last one where it belongs by now, and passes on what the pointer does.
 *
 * Frames are drawn only when something changed, at most one an animation frame. Between the arrival of scenes a frame
 * is one move of what is on the graphics card already, so it costs well under a millisecond of script.
 */
import { effect, type Signal, signal, untracked } from "@preact/signals";
import type { Picked } from "../api/types";
import { createRenderer } from "../draw/create";
import type { PlaneView } from "../draw/motion-plane";
import { USUAL_OPACITY } from "../draw/opacity";
import { type Extras, NO_EXTRAS, Overlay } from "../draw/overlay";
import type { Renderer } from "../draw/renderer";
import { IDENTITY, type View as Layout, viewOf } from "../draw/view";
import { decodeScene } from "../scene/decode";
import { isEmptyScene } from "../scene/empty";
import { edgesOf } from "../scene/plane";
import type { Rect, SceneAxis } from "../scene/types";
import {
  acrossIn,
  allAcross,
  changedIn,
  drawn,
  type Frame,
  go,
  hasRowsOfNow,
  isOfTime,
  messagesBy,
  moment,
  motionKind,
  type PaneStatus,
  readOptions,
  reconnected,
  rowWindow,
  saw,
  type WindowName,
  windowOf,
} from "../state/state";
import { attachGestures } from "./gestures";
import { PaneHand } from "./hand";
import { Listing } from "./listing";
import { explain, type Failure, type LoadedScene, SceneLoader } from "./loader";
import { MotionLayer } from "./motion-layer";
import { type PaneView, type Picture, pixelOf } from "./pane-view";
import { Pointer } from "./pointer";
import { TimeMarks } from "./time-marks";
import { barOf, densityOf, describe, legendOf } from "./told";
import { wantedOf } from "./wanted";
import { measure, watchBelow, watchRatio } from "./watch";

/** What the server draws; beyond, the picture is stretched. */
const SIDES = { least: 16, most: 8192 } as const;

export interface PaneOptions {
  id: string;
  view: PaneView;
  frame: Exclude<Frame, "figure">;
}

export class PaneController {
  readonly failure: Signal<Failure | null> = signal(null);
  private readonly size = signal({ width: 0, height: 0 });
  private readonly renderer: Renderer;
  private readonly overlay: Overlay;
  private readonly loader: SceneLoader;
  private readonly pointer: Pointer;
  /** The cursor and the ruler over it. */
  private readonly timeMarks: TimeMarks;
  private readonly listing: Listing | null = null;
  private readonly extras: Extras = { ...NO_EXTRAS };
  /** A rectangle under the hand; pixels of the canvas. */
  private brushing: Rect | null = null;
  private readonly ends: (() => void)[] = [];
  private shown: LoadedScene | null = null;
  /** Whether `shown` has yet to be handed to those who draw. */
  private isFresh = false;
  private layout: Layout | null = null;
  private scheduled = 0;
  /** How many scenes were drawn. */
  private readonly scenes = signal(0);
  /** What the pointer does. */
  private readonly hand: PaneHand;
  /** Whether something is on its way that nothing can be drawn without. */
  private waits = false;
  /** Messages on their way. */
  private readonly motion: MotionLayer | null = null;

  constructor(
    /** Carries the attributes, takes the pointer. */
    private readonly holder: HTMLElement,
    private readonly options: PaneOptions,
  ) {
    const [marks, text] = [document.createElement("canvas"), document.createElement("canvas")];
    marks.className = "pane-marks";
    text.className = "pane-text";
    holder.prepend(marks, text);
    this.renderer = createRenderer(marks, () => this.schedule());
    if (options.view.moves && options.frame === "pane") {
      const hooks = { changed: () => this.schedule(), failed: (why: Failure) => this.failed(why) };
      this.motion = new MotionLayer(options.id, holder, marks, hooks);
    }
    this.overlay = new Overlay(text);
    const loads = { loaded: (scene: LoadedScene) => this.loaded(scene), failed: (why: Failure) => this.failed(why) };
    this.loader = new SceneLoader(loads, decodeScene);
    const hooks = {
      boxed: (box: Rect | null) => {
        this.extras.box = box;
        this.schedule();
      },
      picked: (picked: Picked | null) => this.take(picked),
    };
    const takes = options.view.beside ? "beside" : options.view.toggle ? "left" : "plot";
    this.pointer = new Pointer(holder, () => this.target(), hooks, takes);
    // An application: keys mean moves in it, and its label says what is in sight. The strip is only looked at.
    holder.setAttribute("role", this.isStill ? "img" : "application");
    holder.setAttribute("aria-label", options.view.name);
    if (!this.isStill) holder.tabIndex = 0;
    holder.dataset.scene = "0";
    holder.dataset.renderer = this.renderer.name;
    const isStrip = options.frame === "strip";
    if (options.view.scrolls !== undefined && !this.isStill) {
      this.listing = new Listing(holder, {
        lines: () => this.lines(),
        request: () => this.loader.current,
        scroll: (first) => options.view.scrolls?.(options.id, first),
        picked: (picked) => this.take(picked),
      });
    }
    // The brush lies over the strip and takes the pointer.
    this.timeMarks = new TimeMarks(holder, (isStrip && holder.closest<HTMLElement>(".ground")) || holder, isStrip);
    this.hand = new PaneHand(options, this.pointer, this.listing, this.motion, {
      shown: () => this.shown,
      layout: () => this.layout,
      target: () => this.target(),
      picture: () => this.picture(),
      edges: (plot) => (this.isPlane ? this.edges(plot) : null),
      planeView: (layout) => this.planeView(layout),
      marks: (range, brushing) => {
        if (range !== undefined) this.extras.range = range;
        if (brushing !== undefined) this.brushing = brushing;
        this.schedule();
      },
      failed: (why) => this.failed(why),
    });
    this.markBusy();
    this.listen(marks, text);
  }

  /** Does what a click on something does. */
  private take(picked: Picked | null): void {
    if (picked === null) go({ selected: null }, "push");
    else if (picked.toggles !== undefined) this.options.view.toggle?.(picked.toggles);
    else {
      const set = picked.sets === undefined ? {} : changedIn(this.options.id, readOptions(picked.sets));
      const selected = picked.select === undefined ? {} : { selected: picked.select };
      go({ ...set, ...selected }, "push");
    }
  }

  /** The lines of its list; null if it is none. */
  private lines(): SceneAxis | null {
    const y = this.shown?.scene.y;
    return y?.kind === "lines" ? y : null;
  }

  /** The window of its horizontal axis. */
  private get across(): WindowName | null {
    return acrossIn(this.options.id, this.options.view);
  }

  private listen(marks: HTMLCanvasElement, text: HTMLCanvasElement): void {
    const resized = new ResizeObserver(() => {
      const box = this.holder.getBoundingClientRect();
      this.size.value = { width: Math.floor(box.width), height: Math.floor(box.height) };
      // Now, not in the next frame: the browser would show one with stretched text.
      this.draw();
    });
    resized.observe(this.holder);
    const fonts = () => this.refresh();
    document.fonts.addEventListener("loadingdone", fonts);
    this.ends.push(
      () => resized.disconnect(),
      () => document.fonts.removeEventListener("loadingdone", fonts),
      watchRatio(() => this.schedule()),
      effect(() => this.follow()),
      effect(() => this.followMarks()),
      effect(() => {
        if (reconnected.value > 0 && untracked(() => this.failure.value) !== null) this.retry();
      }),
      () => cancelAnimationFrame(this.scheduled),
      () => this.loader.dispose(),
      () => this.pointer.dispose(),
      () => this.timeMarks.dispose(),
      () => this.hand.dispose(),
      () => this.listing?.dispose(),
      () => this.renderer.dispose(),
      () => this.motion?.dispose(),
      () => marks.remove(),
      () => text.remove(),
    );
    if (!this.isStill) this.ends.push(attachGestures(this.holder, this.hand));
    else if (this.options.view.source.whole) this.ends.push(watchBelow(this.holder, (at) => this.pointer.hover(at)));
  }

  /** Whether it shows the whole run whatever the windows are. */
  private get isStill(): boolean {
    return this.options.frame === "strip" || this.options.view.source.whole === true;
  }

  /** Follows the state: asks for the scene that it means now, and moves the last one there. */
  private follow(): void {
    const { width, height } = this.size.value;
    const { id, view, frame } = this.options;
    const wanted = wantedOf(id, view, frame);
    void [this.window(), this.isPlane && windowOf("down"), rowWindow.value, view.opacity?.()];
    if (this.motion !== null) void [motionKind.value, messagesBy.value];
    untracked(() => {
      let hasChanged = !this.isStill;
      this.waits = wanted.kind === "wait" && wanted.isComing;
      if (wanted.kind !== "scene") this.motion?.follow(null);
      if (wanted.kind === "wait") {
        // While something is added to a result, the last picture of it stays; one of another result would lie.
        this.loader.want(null);
        if (this.shown !== null && this.shown.request.results !== wanted.results) this.drop();
        hasChanged = true;
      } else if (wanted.kind === "nothing") {
        this.loader.want(null);
        this.drop();
        hasChanged = true;
      } else if (width >= SIDES.least && height >= SIDES.least) {
        if (view.begin?.({ width, height })) return;
        if (this.shown !== null && this.shown.request.trace !== wanted.trace) this.drop();
        const request = wanted.request(Math.min(width, SIDES.most), Math.min(height, SIDES.most));
        const isNew = this.loader.want(request);
        this.motion?.follow(request);
        if (isNew) this.failure.value = null;
        hasChanged ||= isNew;
      }
      this.markBusy();
      if (hasChanged) this.schedule();
    });
  }

  /** Draws again when something changes that lies over the picture; what that is depends on the scene. */
  private followMarks(): void {
    void this.scenes.value;
    if (Object.keys(this.marks()).length > 0) this.schedule();
  }

  retry(): void {
    this.failure.value = null;
    this.loader.retry();
    this.markBusy();
  }

  private loaded(scene: LoadedScene): void {
    this.shown = scene;
    this.isFresh = true;
    this.failure.value = null;
    this.schedule();
  }

  private failed(failure: Failure): void {
    this.failure.value = failure;
    this.markBusy();
  }

  /** Forgets the picture: it is of another trace. */
  private drop(): void {
    this.shown = null;
    this.isFresh = true;
  }

  /** Hands the scene over once more, for what depends on fonts. */
  private refresh(): void {
    this.overlay.show(this.shown?.scene ?? null);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled === 0) this.scheduled = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    cancelAnimationFrame(this.scheduled);
    this.scheduled = 0;
    const start = performance.now();
    const fresh = this.isFresh ? this.shown : null;
    try {
      this.paint();
      measure(start);
      if (fresh !== null) this.report(fresh);
    } catch (error) {
      this.failure.value = explain(error);
    }
    this.markBusy();
  }

  private paint(): void {
    const scene = this.shown?.scene ?? null;
    if (this.isFresh) {
      this.isFresh = false;
      this.extras.box = null;
      this.renderer.show(scene);
      this.overlay.show(scene);
    }
    this.layout = this.currentLayout();
    this.placeTime();
    if (this.layout === null) return;
    this.mark();
    this.renderer.draw(this.layout);
    this.overlay.draw(this.layout, this.extras);
    this.motion?.paint(this.planeView(this.layout), this.shown?.scene);
  }

  /** Tells the cursor and the ruler where time lies. */
  private placeTime(): void {
    const x = this.shown?.scene.x;
    const isTime = x?.kind === "time" && this.layout !== null;
    const window = this.isStill || !isOfTime(this.across) ? ([x?.from ?? 0, x?.to ?? 1] as const) : this.window();
    this.timeMarks.place(isTime ? (this.layout?.plot ?? null) : null, window ?? [0, 1]);
  }

  /** Where the plane lies on the canvas. */
  private planeView({ plot, width, height, ratio }: Layout): PlaneView | null {
    const edges = this.isPlane ? this.edges(plot) : null;
    if (edges === null) return null;
    const { across, down } = edges;
    const scale = plot.width / (across[1] - across[0]);
    return { width, height, ratio, plot, from: { x: across[0], y: down[0] }, scale };
  }

  /** What its horizontal axis shows. */
  private window(): [number, number] | null {
    return this.across === null ? null : windowOf(this.across);
  }

  /** Whether its two directions have one scale. */
  private get isPlane(): boolean {
    return this.across === "across";
  }

  /** What is at the edges of a plot of this size; null while it is not known how far the plane reaches. */
  private edges(plot: Rect): { across: [number, number]; down: [number, number] } | null {
    return allAcross.value === null ? null : edgesOf(plot, windowOf("across"), windowOf("down"));
  }

  private picture(): Picture | null {
    const { shown, layout } = this;
    if (shown === null || layout === null || this.options.frame === "strip") return null;
    return { scene: shown.scene, layout, window: this.window() ?? [0, 1] };
  }

  /** What the view puts over the picture. */
  private marks(): Partial<Extras> {
    const picture = this.picture();
    if (picture === null) return {};
    const isTime = isOfTime(this.across) && this.across !== "closer" && motionKind.value !== "none";
    return { ...this.options.view.marks?.(picture), ...(isTime && { moment: pixelOf(picture, moment.value) }) };
  }

  private mark(): void {
    const { extras, brushing } = this;
    const { box, range } = extras;
    Object.assign(extras, NO_EXTRAS, { box, range }, this.marks());
    if (brushing !== null) extras.brush = { rect: brushing, text: "" };
  }

  private currentLayout(): Layout | null {
    const { width, height } = this.size.value;
    if (width === 0 || height === 0) return null;
    const canvas = { width, height, ratio: window.devicePixelRatio };
    const { shown } = this;
    if (shown === null) return { ...canvas, plot: EMPTY, move: IDENTITY, opacity: USUAL_OPACITY };
    // The scene that was asked for lies where it says, however the server rounded its window.
    const isThere = this.isStill || this.loader.isCurrent(shown);
    const opacity = this.options.view.opacity?.() ?? USUAL_OPACITY;
    if (isThere) return viewOf(shown.scene, canvas, null, null, opacity);
    if (this.isPlane) {
      // Of another plane, the last picture stays where it is.
      const edges = this.edges(viewOf(shown.scene, canvas, null, null).plot);
      return viewOf(shown.scene, canvas, edges?.across ?? null, edges?.down ?? null, opacity);
    }
    const sameRows = this.hasSameRows(shown);
    return viewOf(shown.scene, canvas, this.window(), sameRows ? rowWindow.value : null, opacity);
  }

  /** Whether a scene has the list of rows that the page has now. */
  private hasSameRows({ request: { params } }: LoadedScene): boolean {
    return hasRowsOfNow(params);
  }

  /** Tells the rest of the page what is on the screen now. */
  private report(loaded: LoadedScene): void {
    const { scene, askedAt, bytes } = loaded;
    this.scenes.value += 1;
    this.holder.dataset.scene = String(this.scenes.value);
    this.holder.setAttribute("aria-label", describe(this.options.view.name, scene));
    const { x, y, width, height } = scene.plot;
    const status: PaneStatus = {
      view: this.options.view.name,
      notes: scene.notes,
      ms: performance.now() - askedAt,
      bytes,
      ...legendOf(scene),
      hasRows: scene.y.kind === "rows",
      isEmpty: isEmptyScene(scene),
      ...densityOf(scene),
      ...barOf(scene),
      plot: [x, y, width, height],
    };
    drawn.value = new Map(drawn.value).set(this.options.id, status);
    if (scene.y.kind === "rows" && this.hasSameRows(loaded)) saw("rows", scene.y.count);
    if (scene.x.kind === "columns" && this.hasSameRows(loaded)) saw("columns", scene.x.count);
    if (this.isPlane && this.loader.isCurrent(loaded)) {
      saw("across", scene.x.count);
      saw("down", scene.y.count);
    }
    this.pointer.sceneChanged();
    this.listing?.drawn();
  }

  private markBusy(): void {
    const isBusy = String(
      this.waits || this.loader.busy || this.motion?.isBusy || (this.isFresh && this.shown !== null),
    );
    if (this.holder.dataset.busy === isBusy) return;
    this.holder.dataset.busy = isBusy;
    this.holder.setAttribute("aria-busy", isBusy);
  }

  /** For picking: the scene on the screen and where it lies. */
  private target() {
    if (this.shown === null || this.layout === null || this.isFresh) return null;
    return { loaded: this.shown, view: this.layout };
  }

  dispose(): void {
    for (const end of this.ends.reverse()) end();
    const rest = new Map(drawn.value);
    rest.delete(this.options.id);
    drawn.value = rest;
  }
}

const EMPTY = { x: 0, y: 0, width: 0, height: 0 } as const;
