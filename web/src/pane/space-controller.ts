/**
 * What a pane in space does: asks for the scene, turns it by itself, says what is under the pointer, and selects.
 *
 * The camera is part of the place, as options that figures have too. While a hand turns the picture it is here alone, and
 * written when the hand lets go. A new scene, of another selection or window, is seen by the same camera.
 */
import { effect, type Signal, signal, untracked } from "@preact/signals";
import { type Choosing, fetchChoice, fetchPickSolid, isAbort } from "../api/client";
import type { Selection } from "../api/selection";
import type { Picked } from "../api/types";
import { formatCount } from "../base/format";
import { Latest } from "../base/latest";
import { rampOf } from "../draw/motion-plane";
import { type Camera, type Lens, lensOf, moved, plus, see, turned, zoomed } from "../draw/space-lens";
import { SpaceOverlay } from "../draw/space-overlay";
import { type Solid, solidAt } from "../draw/space-pick";
import type { SpaceRenderer } from "../draw/space-three";
import { type Bounds, decodeSpace, type SpaceScene } from "../scene/space";
import type { Point, Rect } from "../scene/types";
import {
  changedIn,
  drawn,
  flies,
  go,
  isPlaying,
  messagesBy,
  motionKind,
  optionIn,
  place,
  reconnected,
  setOptionsIn,
  theme,
  usual,
} from "../state/state";
import { explain, type Failure, type LoadedScene, SceneLoader } from "./loader";
import { PaneMotion } from "./motion";
import type { PaneView } from "./pane-view";
import { flown, looked, withEye } from "./space-fly";
import { attachSpaceGestures, type SpaceHand } from "./space-gestures";
import { barOf, legendOf } from "./told";
import { hideTooltip, showTooltip } from "./tooltip";
import { wantedOf } from "./wanted";
import { measure, watchRatio } from "./watch";

/** Scenes in space have no size; questions have one all the same. */
const SIDE = 1000;
const PATIENCE_MS = 80;
/** Clicks closer to each other may be one double-click; systems let people set it, browsers do not tell. */
const DOUBLE_CLICK_MS = 1000;
/** A picture that has rested for so long is drawn finely: while it moves, speed is worth more. */
const REST_MS = 150;
/** Pixels of a fine picture for each of a coarse screen, in each direction. */
const FINE = 2;
const NO_BOUNDS = { low: [0, 0, 0], high: [0, 0, 0] } as const;

const USUAL_TURN = turnOf(usual("turn"));

interface Asked {
  trace: string;
  view: string;
  params: URLSearchParams;
}

export class SpaceController implements SpaceHand {
  readonly failure: Signal<Failure | null> = signal(null);
  private readonly size = signal({ width: 0, height: 0 });
  private readonly canvas = document.createElement("canvas");
  private readonly overlay: SpaceOverlay;
  private readonly loader: SceneLoader<SpaceScene>;
  private renderer: SpaceRenderer | null = null;
  private shown: LoadedScene<SpaceScene> | null = null;
  private isFresh = false;
  private camera: Camera;
  /** The camera when a hand took it. */
  private grabbed: { camera: Camera; lens: Lens } | null = null;
  private readonly motion: PaneMotion | null = null;
  /** Whether solids have the colours of what they do now. */
  private isHot = false;
  private hovered: Solid | null = null;
  private pointer: Point | null = null;
  private box: Rect | null = null;
  private scheduled = 0;
  /** Whether the solids have to be drawn again, and not only what lies over them. */
  private isStale = true;
  /** Runs while the picture moves. */
  private rest: ReturnType<typeof setTimeout> | undefined;
  private looks = 0;
  private scenes = 0;
  private waits = false;
  private isDisposed = false;
  private clickedAt = Number.NEGATIVE_INFINITY;
  private selectedBefore: Selection | null = null;
  /** The choice that the server is asked about. */
  private choice = new AbortController();
  private readonly hovers: Latest<Asked & { solid: Solid }, Picked | null>;
  private readonly ends: (() => void)[] = [];

  constructor(
    private readonly holder: HTMLElement,
    private readonly options: { id: string; view: PaneView },
  ) {
    this.camera = cameraOf(options.id, USUAL_TURN);
    const text = document.createElement("canvas");
    this.canvas.className = "pane-marks";
    text.className = "pane-text";
    holder.prepend(this.canvas, text);
    this.overlay = new SpaceOverlay(text);
    const loads = {
      loaded: (scene: LoadedScene<SpaceScene>) => this.loaded(scene),
      failed: (why: Failure) => this.fail(why),
    };
    this.loader = new SceneLoader(loads, decodeSpace);
    this.hovers = new Latest(
      {
        ask: ({ trace, view, params, solid }, signal) => fetchPickSolid(trace, view, params, nameOf(solid), signal),
        answered: (_, picked) => this.say(picked),
        failed: () => this.say(null),
      },
      PATIENCE_MS,
    );
    if (options.view.moves) {
      this.motion = new PaneMotion(options.id, holder, {
        changed: () => this.schedule(),
        failed: (why) => this.fail(why),
      });
    }
    holder.setAttribute("role", "application");
    holder.setAttribute("aria-label", options.view.name);
    holder.tabIndex = 0;
    holder.dataset.scene = "0";
    this.markBusy();
    const resized = new ResizeObserver(() => {
      const { width, height } = this.holder.getBoundingClientRect();
      this.size.value = { width: Math.floor(width), height: Math.floor(height) };
      this.draw();
    });
    resized.observe(holder);
    this.ends.push(
      () => resized.disconnect(),
      watchRatio(() => this.schedule()),
      effect(() => this.follow()),
      effect(() => this.followCamera()),
      effect(() => {
        void theme.value;
        this.schedule();
      }),
      effect(() => {
        holder.dataset.flies = String(flies.value);
      }),
      effect(() => {
        if (reconnected.value > 0 && untracked(() => this.failure.value) !== null) this.retry();
      }),
      attachSpaceGestures(holder, this),
      () => cancelAnimationFrame(this.scheduled),
      () => clearTimeout(this.rest),
      () => cancelAnimationFrame(this.looks),
      () => this.loader.dispose(),
      () => this.motion?.dispose(),
      () => this.hovers.cancel(),
      () => this.choice.abort(),
      () => hideTooltip(this),
      () => this.renderer?.dispose(),
      () => this.canvas.remove(),
      () => text.remove(),
    );
    void this.begin();
  }

  /** What draws comes when it is first needed. */
  private async begin(): Promise<void> {
    try {
      const { SpaceRenderer } = await import("../draw/space-three");
      if (this.isDisposed) return;
      this.renderer = new SpaceRenderer(this.canvas);
      this.holder.dataset.renderer = "three";
      this.isFresh = this.shown !== null;
      this.schedule();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const text = `It takes WebGL2, which this browser does not offer (${why}). A figure of it can still be saved.`;
      this.fail({ title: "Nothing can be drawn in space", text });
    }
  }

  private follow(): void {
    const wanted = wantedOf(this.options.id, this.options.view, "pane");
    if (this.motion !== null) void [motionKind.value, messagesBy.value];
    untracked(() => {
      this.waits = wanted.kind === "wait" && wanted.isComing;
      if (wanted.kind === "scene") {
        if (this.shown !== null && this.shown.request.trace !== wanted.trace) this.drop();
        const request = wanted.request(SIDE, SIDE);
        if (this.loader.want(request) && this.renderer !== null) this.failure.value = null;
        this.motion?.follow(request);
      } else {
        this.loader.want(null);
        this.motion?.follow(null);
        const isOther = wanted.kind === "nothing" || this.shown?.request.results !== wanted.results;
        if (isOther) this.drop();
      }
      this.markBusy();
      this.schedule();
    });
  }

  private followCamera(): void {
    const camera = cameraOf(this.options.id, this.ownTurn);
    if (this.grabbed !== null) return;
    this.camera = camera;
    this.schedule();
  }

  retry(): void {
    this.failure.value = null;
    if (this.renderer === null) void this.begin();
    this.loader.retry();
    this.markBusy();
  }

  private loaded(scene: LoadedScene<SpaceScene>): void {
    this.shown = scene;
    this.isFresh = true;
    // Another scene may be looked at from elsewhere.
    if (this.grabbed === null) this.camera = cameraOf(this.options.id, this.ownTurn);
    if (this.renderer !== null) this.failure.value = null;
    this.schedule();
  }

  private fail(failure: Failure): void {
    this.failure.value = failure;
    this.markBusy();
  }

  /** Forgets the picture: it is of something else. */
  private drop(): void {
    this.shown = null;
    this.isFresh = true;
    this.hovered = null;
  }

  private schedule(): void {
    this.isStale = true;
    this.scheduleOver();
  }

  /** Only what lies over the solids has changed. */
  private scheduleOver(): void {
    if (this.scheduled === 0) this.scheduled = requestAnimationFrame(() => this.paint());
  }

  /** The picture moves; it is drawn once more when it rests. */
  private moves(): void {
    this.schedule();
    // A hand says when it lets go; a wheel does not.
    if (this.grabbed !== null) return;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.rest = undefined;
      this.schedule();
    }, REST_MS);
  }

  private lens(camera = this.camera): Lens | null {
    const { width, height } = this.size.value;
    if (width === 0 || height === 0) return null;
    return lensOf(this.bounds, camera, width, height);
  }

  /** Whether it shows a plan that nobody has tilted. */
  get isFlat(): boolean {
    return this.shown?.scene.space.bounds.isPlan === true && this.said().turn === usual("turn");
  }

  /** The camera as options, as exactly as can be seen. A turn as the scene has it is as usual. */
  private said(): { turn: string; zoom: number; aim: string } {
    const { around, above, zoom, aim } = this.camera;
    const text = (value: number, digits: number) => String(Number(value.toFixed(digits)) + 0);
    const [usualAround, usualAbove] = this.ownTurn;
    const isUsual = text(around, 1) === text(usualAround, 1) && text(above, 1) === text(usualAbove, 1);
    return {
      turn: isUsual ? usual("turn") : `${text(around, 1)}:${text(above, 1)}`,
      zoom: Number(zoom.toPrecision(4)),
      aim: aim.map((one) => text(one, 2)).join(":"),
    };
  }

  /** The turn of what is shown, until a hand takes it. */
  private get ownTurn(): readonly [number, number] {
    return this.shown?.scene.space.turn ?? USUAL_TURN;
  }

  /** Everything, now: in the next frame the browser would show a stretched picture. */
  private draw(): void {
    this.isStale = true;
    this.paint();
  }

  private paint(): void {
    cancelAnimationFrame(this.scheduled);
    this.scheduled = 0;
    const { renderer, shown } = this;
    const lens = this.lens();
    if (lens === null) return;
    const start = performance.now();
    const fresh = this.isFresh ? shown : null;
    const ratio = window.devicePixelRatio;
    try {
      const isNew = this.isFresh && renderer !== null;
      if (isNew) {
        this.isFresh = false;
        renderer.show(shown?.scene ?? null);
      }
      if (renderer !== null && shown !== null) this.setInMotion(renderer, shown.scene, isNew);
      if (this.isStale) renderer?.draw(lens, this.isMoving || ratio >= FINE ? ratio : ratio * FINE);
      this.isStale = false;
      this.overlay.draw(shown?.scene ?? null, lens, ratio, { hovered: this.hovered, box: this.box });
      measure(start);
      if (fresh !== null && renderer !== null) this.report(fresh);
    } catch (error) {
      this.fail(explain(error));
    }
    this.markBusy();
  }

  /** Hands over what links, nodes and messages do at this moment. */
  private setInMotion(renderer: SpaceRenderer, scene: SpaceScene, isNew: boolean): void {
    const { motion } = this;
    if (motion === null) return;
    const hasChanged = motion.update();
    const isHot = motion.links !== null;
    if (isHot !== this.isHot || hasChanged || (isNew && isHot)) {
      const { links, nodes, blocks } = motion;
      const values =
        links === null || nodes === null || blocks === null
          ? null
          : { link: links.values, node: nodes.values, block: blocks.values };
      renderer.heat(values, rampOf(scene.palette, scene.colourBar?.colours ?? []));
      this.isHot = isHot;
    }
    renderer.messages.show(isHot ? motion.moving : null, motion.dots);
    this.holder.dataset.dotAt = this.firstDot() ?? "";
  }

  /** Where the first message is seen, for tests. */
  private firstDot(): string | null {
    const lens = this.lens();
    if (this.motion === null || this.motion.dots.count === 0 || lens === null) return null;
    const [x = 0, y = 0, z = 0] = this.motion.dots.data;
    const seen = see(lens, [x, y, z]);
    return seen === null ? null : `${seen.x.toFixed(1)}:${seen.y.toFixed(1)}`;
  }

  private get isMoving(): boolean {
    return this.grabbed !== null || this.rest !== undefined || (this.isHot && isPlaying.value);
  }

  /** Tells the rest of the page what is on the screen now. */
  private report({ scene, askedAt, bytes }: LoadedScene<SpaceScene>): void {
    this.scenes += 1;
    this.holder.dataset.scene = String(this.scenes);
    const { groups } = scene.space;
    const count = (of: string) => groups.filter((one) => one.of === of).reduce((sum, one) => sum + one.count, 0);
    const [nodes, links] = [count("node"), count("link")];
    this.holder.setAttribute(
      "aria-label",
      `${this.options.view.name}, ${formatCount(nodes)} nodes, ${formatCount(links)} links`,
    );
    const status = {
      view: this.options.view.name,
      notes: scene.notes,
      ms: performance.now() - askedAt,
      bytes,
      ...legendOf(scene),
      ...barOf(scene),
      isEmpty: nodes === 0,
      isPlan: scene.space.bounds.isPlan === true,
    };
    drawn.value = new Map(drawn.value).set(this.options.id, status);
    if (this.pointer !== null) this.hover(this.pointer);
  }

  private markBusy(): void {
    const isLate = this.renderer === null && this.failure.value === null;
    const isBusy = String(
      this.waits ||
        isLate ||
        this.isMoving ||
        this.loader.busy ||
        this.motion?.isBusy ||
        (this.isFresh && this.shown !== null),
    );
    if (this.holder.dataset.busy === isBusy) return;
    this.holder.dataset.busy = isBusy;
    this.holder.setAttribute("aria-busy", isBusy);
  }

  /** The question behind the picture, as its size and its camera are now. */
  private question(): Asked | null {
    if (this.shown === null) return null;
    const { trace, view, params } = this.shown.request;
    const { width, height } = this.size.value;
    const now = new URLSearchParams(params);
    now.set("width", String(width));
    now.set("height", String(height));
    // A camera as usual is not said: a plan is then looked at straight on.
    for (const [name, value] of Object.entries(this.said()))
      if (value !== usual(name as "turn" | "zoom" | "aim")) now.set(name, String(value));
    return { trace, view, params: now };
  }

  private say(picked: Picked | null): void {
    if (picked === null || this.pointer === null) {
      hideTooltip(this);
      return;
    }
    const { left, top } = this.holder.getBoundingClientRect();
    showTooltip(this, picked, { x: left + this.pointer.x, y: top + this.pointer.y });
  }

  /** Keeps the camera in the place. */
  private write(how: "push" | "live"): void {
    setOptionsIn(this.options.id, this.said(), how);
  }

  // What the pointer does; see `SpaceHand`.

  hover(at: Point | null): void {
    this.pointer = at;
    if (this.looks === 0) this.looks = requestAnimationFrame(() => this.findHovered());
  }

  private findHovered(): void {
    this.looks = 0;
    const found = this.pointer === null ? null : this.solidAt(this.pointer);
    const isSame = found?.id === this.hovered?.id && found?.of === this.hovered?.of;
    this.hovered = found;
    if (isSame && found !== null) return;
    this.scheduleOver();
    const question = this.question();
    if (found === null || question === null) {
      this.hovers.cancel();
      this.say(null);
    } else this.hovers.want({ ...question, solid: found });
  }

  private solidAt(at: Point): Solid | null {
    const lens = this.lens();
    return lens === null || this.shown === null ? null : solidAt(this.shown.scene, lens, at);
  }

  click(at: Point, how: Choosing): void {
    const now = performance.now();
    if (now - this.clickedAt > DOUBLE_CLICK_MS) this.selectedBefore = place.value.selected;
    this.clickedAt = now;
    const lens = this.lens();
    const dot = lens && this.motion?.isOn ? this.renderer?.messages.dotAt(this.motion.dots, lens, at) : null;
    if (dot !== null && dot !== undefined) {
      void this.motion?.select(dot);
      return;
    }
    const solid = this.solidAt(at);
    if (solid !== null) void this.select({ solid: nameOf(solid) }, how);
    else if (how === "replace") go({ selected: null }, "push");
  }

  choose({ x, y, width, height }: Rect, how: Choosing): void {
    void this.select({ area: [x, y, width, height].map((side) => side.toFixed(1)).join(":") }, how);
  }

  private async select(pointed: { solid: string } | { area: string }, how: Choosing): Promise<void> {
    const question = this.question();
    if (question === null) return;
    this.choice.abort();
    this.choice = new AbortController();
    try {
      const { signal } = this.choice;
      const { select } = await fetchChoice(question.trace, question.view, question.params, pointed, how, signal);
      go({ selected: select }, "push");
    } catch (error) {
      if (!isAbort(error)) this.fail(explain(error));
    }
  }

  grab(): void {
    const lens = this.lens();
    if (lens !== null) this.grabbed = { camera: this.camera, lens };
  }

  turn(by: Point): void {
    if (this.grabbed === null) return;
    const { width, height } = this.size.value;
    this.camera = turned(this.grabbed.camera, by, Math.max(width, height));
    this.moves();
  }

  move(by: Point): void {
    if (this.grabbed === null) return;
    this.camera = moved(this.grabbed.camera, this.grabbed.lens, by);
    this.moves();
  }

  get isFlying(): boolean {
    return flies.value;
  }

  setFlying(on: boolean): void {
    flies.value = on;
  }

  look(by: Point): void {
    const lens = this.lens();
    if (lens === null) return;
    this.camera = looked(this.camera, this.bounds, lens, by);
    this.moves();
  }

  fly(held: ReadonlySet<string>, seconds: number): void {
    const lens = this.lens();
    if (lens === null) return;
    this.camera = flown(this.camera, this.bounds, lens, held, seconds);
    this.moves();
  }

  private get bounds(): Bounds {
    return this.shown?.scene.space.bounds ?? NO_BOUNDS;
  }

  release(): void {
    this.grabbed = null;
    this.write("push");
    this.schedule();
  }

  zoom(at: Point | null, factor: number): void {
    const lens = this.lens();
    if (lens === null) return;
    if (flies.value) {
      // Who flies goes ahead.
      const eye = plus(lens.eye, lens.forward, Math.log(factor) * lens.away * 0.25);
      this.camera = withEye(this.camera, this.bounds, this.size.value, eye);
      this.write("live");
      this.moves();
      return;
    }
    this.camera = zoomed(this.camera, lens, at ?? { x: lens.width / 2, y: lens.height / 2 }, factor);
    this.write("live");
    this.moves();
  }

  draws(rect: Rect | null): void {
    if (rect === null && this.box === null) return;
    this.box = rect;
    this.scheduleOver();
  }

  fit(): void {
    // The first of the two clicks may have selected something; it was not meant to.
    this.choice.abort();
    const isClick = performance.now() - this.clickedAt <= DOUBLE_CLICK_MS;
    const selected = isClick ? this.selectedBefore : place.value.selected;
    const camera = changedIn(this.options.id, { zoom: usual("zoom"), aim: usual("aim") });
    go({ ...camera, selected }, "push");
  }

  double(at: Point): void {
    const { id, view } = this.options;
    const [solid, question] = [this.solidAt(at), this.question()];
    if (view.opens === undefined || solid === null || question === null) {
      this.fit();
      return;
    }
    const isOpened = (picked: Picked | null) =>
      picked?.select !== undefined && (view.opens?.(id, picked.select) ?? false);
    fetchPickSolid(question.trace, question.view, question.params, nameOf(solid))
      .then((picked) => isOpened(picked) || this.fit())
      .catch((error: unknown) => this.fail(explain(error)));
  }

  dispose(): void {
    this.isDisposed = true;
    for (const end of this.ends.reverse()) end();
    const rest = new Map(drawn.value);
    rest.delete(this.options.id);
    drawn.value = rest;
  }
}

function nameOf({ of, id }: Solid): string {
  return `${of}:${id}`;
}

/** The camera of a pane, as the place says; with a turn as usual, as the scene says. */
function cameraOf(pane: string, turn: readonly [number, number]): Camera {
  const [x = 0, y = 0, z = 0] = optionIn(pane, "aim").split(":").map(Number);
  const said = optionIn(pane, "turn");
  const [around, above] = said === usual("turn") ? turn : turnOf(said);
  return { around, above, zoom: optionIn(pane, "zoom"), aim: [x, y, z] };
}

function turnOf(text: string): readonly [number, number] {
  const [around = 0, above = 0] = text.split(":").map(Number);
  return [around, above];
}
