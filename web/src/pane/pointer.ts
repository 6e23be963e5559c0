/**
 * What is under the pointer: asks the server while it hovers, shows the answer, and picks on a click.
 *
 * Questions go out at most once a frame and one at a time; an answer that the pointer has outrun is not shown.
 */
import { fetchPick } from "../api/client";
import type { Picked } from "../api/types";
import { Latest } from "../base/latest";
import { contains, toScene, type View } from "../draw/view";
import type { Point, Rect } from "../scene/types";
import type { LoadedScene, SceneRequest } from "./loader";
import { hideTooltip, showTooltip } from "./tooltip";

const PATIENCE_MS = 80;

/** The scene on the screen, and where it lies. */
export interface Target {
  loaded: LoadedScene;
  view: View;
}

export interface Question {
  request: SceneRequest;
  /** In pixels of the scene. */
  at: Point;
}

export class Pointer {
  private readonly hovers: Latest<Question, Picked | null>;
  private readonly picks: Latest<Question, Picked | null>;
  /** In CSS pixels of the pane; `null` when it is not there, or drags. */
  private place: Point | null = null;
  private scheduled = 0;
  private hasBox = false;

  constructor(
    private readonly holder: HTMLElement,
    private readonly target: () => Target | null,
    private readonly hooks: { boxed(box: Rect | null): void; picked(picked: Picked | null): void },
    /** Whether something stands at the left of the plot that can be clicked, or below it too. */
    private readonly takes: "plot" | "left" | "beside" = "plot",
  ) {
    const ask = ({ request, at }: Question, signal: AbortSignal) =>
      fetchPick(request.trace, request.view, request.params, at.x, at.y, signal);
    // That the server is gone is said by the pane when it next needs a scene, and by the page at once.
    const quiet = () => this.show(null);
    this.hovers = new Latest({ ask, answered: (_, picked) => this.show(picked), failed: quiet }, PATIENCE_MS);
    this.picks = new Latest({ ask, answered: (_, picked) => this.hooks.picked(picked), failed: () => {} }, PATIENCE_MS);
  }

  hover(at: Point | null): void {
    this.place = at;
    if (at === null) {
      this.hovers.cancel();
      this.show(null);
    } else if (this.scheduled === 0) {
      this.scheduled = requestAnimationFrame(() => this.ask());
    }
  }

  /** Another scene came under a pointer that rests. */
  sceneChanged(): void {
    this.hasBox = false;
    if (this.place !== null) this.hover(this.place);
  }

  pick(at: Point): void {
    const question = this.question(at);
    if (question === null) this.hooks.picked(null);
    else this.picks.want(question, true);
  }

  /** The click was the beginning of something else. */
  cancelPick(): void {
    this.picks.cancel();
  }

  private ask(): void {
    this.scheduled = 0;
    if (this.place === null) return;
    const question = this.question(this.place);
    if (question !== null) {
      this.hovers.want(question);
      return;
    }
    this.hovers.cancel();
    this.show(null);
  }

  /** What to ask about a point of the pane; null where nothing can lie. */
  question(at: Point): Question | null {
    const target = this.target();
    if (target === null) return null;
    const { request, scene } = target.loaded;
    const { plot } = target.view;
    // What stands beside the plot does not move with it.
    const isLeft = this.takes !== "plot" && at.x < plot.x && at.y >= plot.y && at.y < plot.y + plot.height;
    const isBelow = this.takes === "beside" && at.y >= plot.y + plot.height && at.x >= plot.x;
    const isBeside = isLeft || isBelow;
    const place = isBeside ? at : toScene(target.view.move, at);
    if (!isBeside && !(contains(plot, at) && contains(scene.plot, place))) return null;
    const tenth = (value: number) => Math.round(value * 10) / 10;
    return { request, at: { x: tenth(place.x), y: tenth(place.y) } };
  }

  private show(picked: Picked | null): void {
    const { place } = this;
    if (picked === null || place === null) {
      hideTooltip(this);
      if (this.hasBox) this.hooks.boxed(null);
      this.hasBox = false;
      return;
    }
    const corner = this.holder.getBoundingClientRect();
    showTooltip(this, picked, { x: corner.left + place.x, y: corner.top + place.y });
    const [x, y, width, height] = picked.box ?? [];
    const isBox = x !== undefined && y !== undefined && width !== undefined && height !== undefined;
    if (isBox || this.hasBox) this.hooks.boxed(isBox ? { x, y, width, height } : null);
    this.hasBox = isBox;
  }

  dispose(): void {
    cancelAnimationFrame(this.scheduled);
    this.place = null;
    this.hovers.cancel();
    this.picks.cancel();
    hideTooltip(this);
  }
}
