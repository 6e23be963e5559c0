/**
 * What a pane does: asks for scenes, shows the last one where it belongs by now, and passes on what hands do.
 *
 * Frames are drawn only when something changed, at most one an animation frame. Between the arrival of scenes a frame
 * is one move of what is on the graphics card already, so it costs well under a millisecond of script.
 */
import { effect, type Signal, signal, untracked } from "@preact/signals";
import type { SpanName } from "../api/types";
import { formatDuration } from "../base/format";
import { createRenderer } from "../draw/create";
import { USUAL_OPACITY } from "../draw/opacity";
import { type Extras, NO_EXTRAS, Overlay } from "../draw/overlay";
import type { Renderer } from "../draw/renderer";
import { IDENTITY, toScene, type View, viewOf } from "../draw/view";
import type { Point, Rect, Scene } from "../scene/types";
import {
  brushed,
  brushTool,
  chosenPhase,
  closerWindow,
  drawn,
  findings,
  go,
  goCalls,
  hasCloser,
  hasSteps,
  logicalState,
  optionsText,
  type PaneStatus,
  place,
  reconnected,
  regionOf,
  rowWindow,
  type Source,
  sawRows,
  sceneParams,
  stepWindow,
  timeWindow,
  toggleHighlight,
  trace,
  waitsForLogical,
  wholeRun,
} from "../state/state";
import { brushOf, brushRect, pinsOf, stagesOf } from "./calls-marks";
import { attachGestures, type Ground, type Hand, type Stretch, type Windows } from "./gestures";
import { explain, type Failure, type LoadedScene, SceneLoader, sceneRequest } from "./loader";
import { Pointer } from "./pointer";
import { barOf, densityOf, describe } from "./told";

/** What the server draws; beyond, the picture is stretched. */
const SIDES = { least: 16, most: 8192 } as const;
/** Measures are for tests and profilers; a page that is open for days must not pile them up. */
const MOST_MEASURES = 1000;
/** Clicks closer to each other may be one double-click; systems let people set it, browsers do not tell. */
const DOUBLE_CLICK_MS = 1000;

export interface PaneOptions {
  id: string;
  view: string;
  source: Source;
  frame: "pane" | "strip";
}

let measures = 0;

export class PaneController implements Hand {
  readonly failure: Signal<Failure | null> = signal(null);
  private readonly size = signal({ width: 0, height: 0 });
  private readonly renderer: Renderer;
  private readonly overlay: Overlay;
  private readonly loader: SceneLoader;
  private readonly pointer: Pointer;
  private readonly extras: Extras = { ...NO_EXTRAS };
  /** A rectangle under the hand; pixels of the canvas. */
  private brushed: Rect | null = null;
  private readonly ends: (() => void)[] = [];
  private shown: LoadedScene | null = null;
  /** Whether `shown` has yet to be handed to those who draw. */
  private isFresh = false;
  private view: View | null = null;
  private scheduled = 0;
  private scenes = 0;
  private clickedAt = Number.NEGATIVE_INFINITY;
  private selectedBefore: SpanName | null = null;
  /** Whether steps are on their way that nothing can be drawn without. */
  private waits = false;

  constructor(
    /** Carries the attributes, takes the hands. */
    private readonly holder: HTMLElement,
    private readonly options: PaneOptions,
  ) {
    const [marks, text] = [document.createElement("canvas"), document.createElement("canvas")];
    marks.className = "pane-marks";
    text.className = "pane-text";
    holder.prepend(marks, text);
    this.renderer = createRenderer(marks, () => this.schedule());
    this.overlay = new Overlay(text);
    this.loader = new SceneLoader({ loaded: (scene) => this.loaded(scene), failed: (why) => this.failed(why) });
    this.pointer = new Pointer(holder, () => this.target(), {
      boxed: (box) => {
        this.extras.box = box;
        this.schedule();
      },
      picked: (picked) => {
        if (picked === null) go({ selected: null }, "push");
        else if (picked.span !== undefined) go({ selected: picked.span }, "push");
        // A share of many ranks is no span; what it stands for is a function.
        else if (picked.region !== undefined) toggleHighlight(regionOf(picked.region)?.name ?? picked.title);
      },
    });
    // An application: keys mean moves in it, and its label says what is in sight. The strip is only looked at.
    holder.setAttribute("role", this.isStill ? "img" : "application");
    holder.setAttribute("aria-label", options.view);
    if (!this.isStill) holder.tabIndex = 0;
    holder.dataset.scene = "0";
    holder.dataset.renderer = this.renderer.name;
    this.markBusy();
    this.listen(marks, text);
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
      effect(() => {
        if (reconnected.value > 0 && untracked(() => this.failure.value) !== null) this.retry();
      }),
      () => cancelAnimationFrame(this.scheduled),
      () => this.loader.dispose(),
      () => this.pointer.dispose(),
      () => this.renderer.dispose(),
      () => marks.remove(),
      () => text.remove(),
    );
    if (!this.isStill) this.ends.push(attachGestures(this.holder, this));
    else if (this.options.source.whole) this.ends.push(this.hoverBelow());
  }

  /** Says what is under a pointer that something over the picture has taken. */
  private hoverBelow(): () => void {
    const ended = new AbortController();
    const { signal } = ended;
    const body = this.holder.closest<HTMLElement>(".body");
    const move = (event: PointerEvent) => {
      const { left, top } = this.holder.getBoundingClientRect();
      this.hover(event.buttons === 0 ? { x: event.clientX - left, y: event.clientY - top } : null);
    };
    body?.addEventListener("pointermove", move, { signal });
    body?.addEventListener("pointerleave", () => this.hover(null), { signal });
    return () => ended.abort();
  }

  /** Whether it shows the whole run whatever the windows are. */
  private get isStill(): boolean {
    return this.options.frame === "strip" || this.options.source.whole === true;
  }

  /** Follows the state: asks for the scene that it means now, and moves the last one there. */
  private follow(): void {
    const { width, height } = this.size.value;
    const info = trace.value;
    const { source } = this.options;
    const params = sceneParams(this.options.frame, source);
    void this.window();
    if (source.view === "activity") void findings.value;
    if (source.view === "calls") void [findings.value, brushed.value, hasCloser.value && closerWindow.value];
    void [rowWindow.value, source.steps && chosenPhase.value];
    const isReady = info !== null && info.id === place.value.trace;
    const lacksSteps = waitsForLogical(source);
    const said = lacksSteps ? logicalState.value?.state : undefined;
    const options = optionsText.value;
    untracked(() => {
      let hasChanged = !this.isStill;
      this.waits = lacksSteps && (said === undefined || said === "building");
      if (isReady && lacksSteps) {
        // While a metric is made, the picture of the last one stays; by other options it would lie.
        this.loader.want(null);
        if (source.steps && this.shown !== null && this.shown.request.options !== options) this.drop();
        hasChanged = true;
      } else if (isReady && width >= SIDES.least && height >= SIDES.least) {
        params.set("width", String(Math.min(width, SIDES.most)));
        params.set("height", String(Math.min(height, SIDES.most)));
        if (this.shown !== null && this.shown.request.trace !== info.id) this.drop();
        const isNew = this.loader.want(sceneRequest(info.id, source.view, params, options));
        if (isNew) this.failure.value = null;
        hasChanged ||= isNew;
      } else if (!isReady) {
        this.loader.want(null);
        this.drop();
        hasChanged = true;
      }
      this.markBusy();
      if (hasChanged) this.schedule();
    });
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
    this.view = this.currentView();
    if (this.view === null) return;
    this.mark(this.view, scene);
    this.renderer.draw(this.view);
    this.overlay.draw(this.view, this.extras);
  }

  /** The window of time or steps that this pane shows. */
  private window(): [number, number] {
    if (this.options.source.steps) return stepWindow.value;
    return this.options.source.closer ? closerWindow.value : timeWindow.value;
  }

  /** What lies over a picture of calls or of steps. */
  private mark(view: View, scene: Scene | null): void {
    const { extras } = this;
    const { source, frame } = this.options;
    if (source.view === "logical") extras.stretch = this.phaseStretch(view);
    if (scene === null || frame === "strip") return;
    const window = this.window();
    if (source.view === "activity") extras.stages = stagesOf(view, window, true);
    if (source.view !== "calls") return;
    extras.stages = source.closer ? [] : stagesOf(view, window, false);
    extras.brush = this.brushed === null ? brushOf(scene, view, window) : { rect: this.brushed, text: "" };
    extras.pins = source.closer ? [] : pinsOf(scene, view, window);
    extras.stretch = null;
    if (source.closer || !hasCloser.value) return;
    const [from, to] = closerWindow.value.map(
      (moment) => view.plot.x + ((moment - window[0]) / (window[1] - window[0])) * view.plot.width,
    ) as [number, number];
    extras.stretch = { from, to };
  }

  /** Where the chosen phase lies. */
  private phaseStretch({ plot }: View): Extras["stretch"] {
    const chosen = chosenPhase.value;
    if (chosen === null) return null;
    const [from, to] = this.window();
    const at = (step: number) => plot.x + ((step - from) / (to - from)) * plot.width;
    return { from: at(chosen.first_step), to: at(chosen.last_step + 1) };
  }

  private currentView(): View | null {
    const { width, height } = this.size.value;
    if (width === 0 || height === 0) return null;
    const canvas = { width, height, ratio: window.devicePixelRatio };
    const { shown } = this;
    if (shown === null) return { ...canvas, plot: EMPTY, move: IDENTITY, opacity: USUAL_OPACITY };
    // The scene that was asked for lies where it says, however the server rounded its window.
    const isThere = this.isStill || this.loader.isCurrent(shown);
    const { opacity } = place.value.calls;
    if (isThere) return viewOf(shown.scene, canvas, null, null, opacity);
    const sameRows = this.hasSameRows(shown);
    return viewOf(shown.scene, canvas, this.window(), sameRows ? rowWindow.value : null, opacity);
  }

  /** Whether a scene has the list of rows that the page has now. */
  private hasSameRows({ request: { params } }: LoadedScene): boolean {
    const isMain = params.get("main") === "1";
    return (params.get("ranks") ?? "") === place.value.ranks && isMain === hasSteps.value;
  }

  /** Tells the rest of the page what is on the screen now. */
  private report(loaded: LoadedScene): void {
    const { scene, askedAt, bytes } = loaded;
    this.scenes += 1;
    this.holder.dataset.scene = String(this.scenes);
    this.holder.setAttribute("aria-label", describe(this.options.view, scene));
    const { x, y, width, height } = scene.plot;
    const status: PaneStatus = {
      view: this.options.view,
      notes: scene.notes,
      ms: performance.now() - askedAt,
      bytes,
      legend: scene.legend,
      ...densityOf(scene),
      ...barOf(scene),
      plot: [x, y, width, height],
    };
    drawn.value = new Map(drawn.value).set(this.options.id, status);
    if (scene.y.kind === "rows" && this.hasSameRows(loaded)) sawRows(scene.y.count);
    this.pointer.sceneChanged();
  }

  private markBusy(): void {
    const isBusy = String(this.waits || this.loader.busy || (this.isFresh && this.shown !== null));
    if (this.holder.dataset.busy === isBusy) return;
    this.holder.dataset.busy = isBusy;
    this.holder.setAttribute("aria-busy", isBusy);
  }

  /** For picking: the scene on the screen and where it lies. */
  private target() {
    if (this.shown === null || this.view === null || this.isFresh) return null;
    return { loaded: this.shown, view: this.view };
  }

  // What hands do; see `Hand`.

  ground(): Ground | null {
    if (this.shown === null || this.view === null) return null;
    const { x, y } = this.shown.scene;
    return {
      plot: this.view.plot,
      across: x.kind === "time" || x.kind === "steps" ? this.window() : null,
      rows: y.kind === "rows" ? rowWindow.value : null,
      brush: y.scale === null ? "none" : brushTool.value ? "always" : "alt",
    };
  }

  hover(at: Point | null): void {
    this.pointer.hover(at);
  }

  click(at: Point): void {
    const now = performance.now();
    if (now - this.clickedAt > DOUBLE_CLICK_MS) this.selectedBefore = place.value.selected;
    this.clickedAt = now;
    this.pointer.pick(at);
  }

  navigate({ across, rows }: Windows, how: "push" | "live"): void {
    const { closer, steps } = this.options.source;
    if (closer) {
      if (across) goCalls({ closer: across }, how);
      return;
    }
    const { logical } = place.value;
    const own = across && (steps ? { logical: { ...logical, steps: across } } : { time: across });
    go({ ...own, ...(rows && { rows }) }, how);
  }

  fit(): void {
    // The first of the two clicks may have selected something; it was not meant to.
    this.pointer.cancelPick();
    if (this.options.source.closer)
      go({ calls: { ...place.value.calls, closer: null }, selected: this.selectedBefore }, "push");
    else wholeRun({ selected: this.selectedBefore });
  }

  select(range: Stretch | null): void {
    const length = range === null ? 0 : range.across[1] - range.across[0];
    const text = this.options.source.steps ? `${length.toFixed(1)} steps` : formatDuration(length);
    this.extras.range = range === null ? null : { from: range.from, to: range.to, text };
    this.schedule();
  }

  brushing(rect: Rect | null): void {
    if (rect === null && this.brushed === null) return;
    this.brushed = rect;
    this.schedule();
  }

  brush(rect: Rect): void {
    const { shown, view } = this;
    const scale = shown?.scene.y.scale;
    if (!shown || !view || !scale) return;
    const top = toScene(view.move, { x: 0, y: rect.y }).y;
    const bottom = toScene(view.move, { x: 0, y: rect.y + rect.height }).y;
    goCalls({ brush: brushRect(rect, [top, bottom], scale, view.plot, this.window()) }, "push");
  }

  dispose(): void {
    for (const end of this.ends.reverse()) end();
    const rest = new Map(drawn.value);
    rest.delete(this.options.id);
    drawn.value = rest;
  }
}

const EMPTY = { x: 0, y: 0, width: 0, height: 0 } as const;

function measure(start: number): void {
  measures += 1;
  if (measures % MOST_MEASURES === 0) performance.clearMeasures("heddle-frame");
  performance.measure("heddle-frame", { start, end: performance.now() });
}

/** Calls back when the window moves to a screen with other pixels, or is zoomed. */
function watchRatio(changed: () => void): () => void {
  let query: MediaQueryList;
  const again = () => {
    watch();
    changed();
  };
  const watch = () => {
    query = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    query.addEventListener("change", again, { once: true });
  };
  watch();
  return () => query.removeEventListener("change", again);
}
