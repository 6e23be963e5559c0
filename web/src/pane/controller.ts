/**
 * What a pane does: asks for scenes, shows the last one where it belongs by now, and passes on what the pointer does.
 *
 * Frames are drawn only when something changed, at most one an animation frame. Between the arrival of scenes a frame
 * is one move of what is on the graphics card already, so it costs well under a millisecond of script.
 */
import { effect, type Signal, signal, untracked } from "@preact/signals";
import { type Choosing, fetchChoice } from "../api/client";
import type { Selection } from "../api/selection";
import type { Picked } from "../api/types";
import { formatDuration } from "../base/format";
import { createRenderer } from "../draw/create";
import { PlaneMotion, type PlaneView, rampOf } from "../draw/motion-plane";
import { USUAL_OPACITY } from "../draw/opacity";
import { type Extras, NO_EXTRAS, Overlay } from "../draw/overlay";
import type { Renderer } from "../draw/renderer";
import { IDENTITY, type View as Layout, type Range, toScene, viewOf } from "../draw/view";
import { decodeScene } from "../scene/decode";
import { isEmptyScene } from "../scene/empty";
import { edgesOf } from "../scene/plane";
import type { Point, Rect } from "../scene/types";
import {
  acrossIn,
  allAcross,
  brushTool,
  changedIn,
  drawn,
  type Frame,
  go,
  hasRowsOfNow,
  isOfTime,
  isWhole,
  messagesBy,
  moment,
  motionKind,
  type PaneStatus,
  place,
  readOptions,
  reconnected,
  rowWindow,
  ruler,
  rulerTool,
  saw,
  say,
  type WindowName,
  wholeRun,
  windowOf,
  withWindow,
} from "../state/state";
import { type Along, attachGestures, type Ground, type Hand, type Stretch, type Windows } from "./gestures";
import { explain, type Failure, type LoadedScene, SceneLoader, type SceneRequest } from "./loader";
import { type Held, Measuring, SNAP } from "./measuring";
import { PaneMotion } from "./motion";
import { valueAt } from "./navigate";
import { type PaneView, type Picture, pixelOf } from "./pane-view";
import { Pointer } from "./pointer";
import { rulerWords, TimeMarks } from "./time-marks";
import { barOf, densityOf, describe, legendOf } from "./told";
import { wantedOf } from "./wanted";
import { measure, watchBelow, watchRatio } from "./watch";

/** What the server draws; beyond, the picture is stretched. */
const SIDES = { least: 16, most: 8192 } as const;
/** Clicks closer to each other may be one double-click; systems let people set it, browsers do not tell. */
const DOUBLE_CLICK_MS = 1000;

export interface PaneOptions {
  id: string;
  view: PaneView;
  frame: Exclude<Frame, "figure">;
}

export class PaneController implements Hand {
  readonly failure: Signal<Failure | null> = signal(null);
  private readonly size = signal({ width: 0, height: 0 });
  private readonly renderer: Renderer;
  private readonly overlay: Overlay;
  private readonly loader: SceneLoader;
  private readonly pointer: Pointer;
  /** The cursor and the ruler over it. */
  private readonly timeMarks: TimeMarks;
  private readonly measuring = new Measuring();
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
  private clickedAt = Number.NEGATIVE_INFINITY;
  private selectedBefore: Selection | null = null;
  /** Whether something is on its way that nothing can be drawn without. */
  private waits = false;
  /** Messages on their way, and what draws them. */
  private readonly motion: { what: PaneMotion; canvas: PlaneMotion } | null = null;
  /** Where activity was last drawn: it is drawn again when that changes. */
  private activityView = "";

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
      const canvas = new PlaneMotion();
      marks.after(canvas.ground, canvas.above);
      const hooks = { changed: () => this.schedule(), failed: (why: Failure) => this.failed(why) };
      this.motion = { what: new PaneMotion(options.id, holder, hooks), canvas };
    }
    this.overlay = new Overlay(text);
    const loads = { loaded: (scene: LoadedScene) => this.loaded(scene), failed: (why: Failure) => this.failed(why) };
    this.loader = new SceneLoader(loads, decodeScene);
    const hooks = {
      boxed: (box: Rect | null) => {
        this.extras.box = box;
        this.schedule();
      },
      picked: (picked: Picked | null) => {
        if (picked === null) go({ selected: null }, "push");
        else if (picked.toggles !== undefined) options.view.toggle?.(picked.toggles);
        else {
          const set = picked.sets === undefined ? {} : changedIn(this.options.id, readOptions(picked.sets));
          const selected = picked.select === undefined ? {} : { selected: picked.select };
          go({ ...set, ...selected }, "push");
        }
      },
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
    // The brush lies over the strip and takes the pointer.
    this.timeMarks = new TimeMarks(holder, (isStrip && holder.closest<HTMLElement>(".ground")) || holder, isStrip);
    this.markBusy();
    this.listen(marks, text);
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
      () => this.measuring.dispose(),
      () => this.renderer.dispose(),
      () => this.motion?.what.dispose(),
      () => this.motion?.canvas.ground.remove(),
      () => this.motion?.canvas.above.remove(),
      () => marks.remove(),
      () => text.remove(),
    );
    if (!this.isStill) this.ends.push(attachGestures(this.holder, this));
    else if (this.options.view.source.whole) this.ends.push(watchBelow(this.holder, (at) => this.hover(at)));
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
      if (wanted.kind !== "scene") this.motion?.what.follow(null);
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
        this.motion?.what.follow(request);
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
    this.paintMotion(this.layout);
  }

  /** Tells the cursor and the ruler where time lies. */
  private placeTime(): void {
    const x = this.shown?.scene.x;
    const isTime = x?.kind === "time" && this.layout !== null;
    const window = this.isStill || !isOfTime(this.across) ? ([x?.from ?? 0, x?.to ?? 1] as const) : this.window();
    this.timeMarks.place(isTime ? (this.layout?.plot ?? null) : null, window ?? [0, 1]);
  }

  /** What links, nodes and messages do at this moment, in place of the picture of the whole window. */
  private paintMotion(layout: Layout): void {
    if (this.motion === null) return;
    const { what, canvas } = this.motion;
    const { activity, links, nodes } = what;
    const marks = activity?.marks ?? null;
    const [view, scene] = [this.planeView(layout), this.shown?.scene];
    const isOn = view !== null && scene !== undefined && marks !== null && links !== null && nodes !== null;
    this.holder.classList.toggle("in-motion", isOn);
    if (!isOn) {
      if (this.activityView !== "") canvas.clear();
      this.activityView = "";
      return;
    }
    const hasChanged = what.update();
    const where = [view.width, view.height, view.ratio, view.from.x, view.from.y, view.scale, scene.palette[0]].join();
    if (hasChanged || where !== this.activityView) {
      this.activityView = where;
      const ramp = rampOf(scene.palette, scene.colourBar?.colours ?? []);
      canvas.drawActivity(view, { marks, links: links.values, nodes: nodes.values, ramp });
    }
    const style = getComputedStyle(this.holder);
    const look = { accent: style.getPropertyValue("--accent").trim(), rim: style.getPropertyValue("--ink").trim() };
    if (what.moving !== null) canvas.drawDots(view, what.moving, what.dots, look);
    const [x = 0, y = 0] = what.dots.data;
    const [dotX, dotY] = [view.plot.x + (x - view.from.x) * view.scale, view.plot.y + (y - view.from.y) * view.scale];
    this.holder.dataset.dotAt = what.dots.count === 0 ? "" : `${dotX.toFixed(1)}:${dotY.toFixed(1)}`;
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
  }

  private markBusy(): void {
    const isBusy = String(
      this.waits || this.loader.busy || this.motion?.what.isBusy || (this.isFresh && this.shown !== null),
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

  // What the pointer does; see `Hand`.

  ground(): Ground | null {
    if (this.shown === null || this.layout === null) return null;
    const { x, y } = this.shown.scene;
    const { plot } = this.layout;
    const along = (name: WindowName): Along => ({ window: windowOf(name), isWhole: isWhole(name) });
    const { view } = this.options;
    const canBrush = (y.scale !== null && view.brush !== undefined) || view.area === true;
    const edges = this.isPlane ? this.edges(plot) : null;
    const across = x.kind === "values" || this.across === null ? null : along(this.across);
    const down = y.kind === "rows" ? along("rows") : null;
    const onPlane = (window: Range | undefined): Along | null => (window ? { window, isWhole: false } : null);
    return {
      plot,
      across: this.isPlane ? onPlane(edges?.across) : across,
      down: this.isPlane ? onPlane(edges?.down) : down,
      isOneScale: this.isPlane,
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
    const dot = adds ? null : this.dotAt(at);
    if (dot !== null) {
      void this.motion?.what.select(dot);
      return;
    }
    const question = adds && this.options.view.chooses ? this.pointer.question(at) : null;
    if (question === null) this.pointer.pick(at);
    else void this.choice(question.request, { at_x: String(question.at.x), at_y: String(question.at.y) }, "toggle");
  }

  /** The message at a point. */
  private dotAt(at: Point): number | null {
    const view = this.layout && this.motion?.what.isOn ? this.planeView(this.layout) : null;
    return view === null || this.motion === null ? null : this.motion.canvas.dotAt(view, this.motion.what.dots, at);
  }

  navigate({ across, down }: Windows, how: "push" | "live"): void {
    const isCloser = this.across === "closer";
    const own = across && this.across !== null ? withWindow(this.across, across) : {};
    go({ ...own, ...(down && !isCloser && { [this.isPlane ? "down" : "rows"]: down }) }, how);
  }

  choose(rect: Rect, adds: boolean): void {
    const target = this.target();
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
    const x = this.shown?.scene.x;
    if (this.layout === null || x?.kind !== "time") return null;
    const { plot } = this.layout;
    const window = isOfTime(this.across) ? (this.window() ?? [x.from, x.to]) : ([x.from, x.to] as const);
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
      this.failed(explain(error));
    }
  }

  fit(): void {
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
    this.extras.range = range === null ? null : { from: range.from, to: range.to, text };
    this.schedule();
  }

  brushes(rect: Rect | null): void {
    if (rect === null && this.brushing === null) return;
    this.brushing = rect;
    this.schedule();
  }

  brush(rect: Rect): void {
    if (this.options.view.area) {
      this.choose(rect, false);
      return;
    }
    const picture = this.picture();
    const scale = picture?.scene.y.scale;
    if (!picture || !scale) return;
    const row = (y: number) => toScene(picture.layout.move, { x: 0, y }).y;
    const selected = this.options.view.brush?.(rect, [row(rect.y), row(rect.y + rect.height)], scale, picture);
    if (selected !== undefined) go({ selected }, "push");
  }

  dispose(): void {
    for (const end of this.ends.reverse()) end();
    const rest = new Map(drawn.value);
    rest.delete(this.options.id);
    drawn.value = rest;
  }
}

const EMPTY = { x: 0, y: 0, width: 0, height: 0 } as const;
