/** Messages on their way in a pane on a plane: what links and nodes do at the moment of the clock, in place of the whole window. */
import { PlaneMotion, type PlaneView, rampOf } from "../draw/motion-plane";
import type { Point, Scene } from "../scene/types";
import type { Failure, SceneRequest } from "./loader";
import { PaneMotion } from "./motion";

export class MotionLayer {
  private readonly what: PaneMotion;
  private readonly canvas = new PlaneMotion();
  /** Where activity was last drawn: it is drawn again when that changes. */
  private activityView = "";

  constructor(
    pane: string,
    private readonly holder: HTMLElement,
    /** The canvas that it lies over. */
    below: HTMLCanvasElement,
    hooks: { changed(): void; failed(why: Failure): void },
  ) {
    below.after(this.canvas.ground, this.canvas.above);
    this.what = new PaneMotion(pane, holder, hooks);
  }

  get isBusy(): boolean {
    return this.what.isBusy;
  }

  get isOn(): boolean {
    return this.what.isOn;
  }

  follow(request: SceneRequest | null): void {
    this.what.follow(request);
  }

  paint(view: PlaneView | null, scene: Scene | undefined): void {
    const { what, canvas } = this;
    const { activity, links, nodes } = what;
    const marks = activity?.marks ?? null;
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

  /** Selects the message at a point; false if there is none. */
  selectAt(view: PlaneView | null, at: Point): boolean {
    const dot = view === null ? null : this.canvas.dotAt(view, this.what.dots, at);
    if (dot === null) return false;
    void this.what.select(dot);
    return true;
  }

  dispose(): void {
    this.what.dispose();
    this.canvas.ground.remove();
    this.canvas.above.remove();
  }
}
