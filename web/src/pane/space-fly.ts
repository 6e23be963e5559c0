/**
 * Flying through a scene in space: keys that are held move the eye, and a drag looks around. The camera stays the one of links
 * and figures; only what it is turned about is another: the eye, and not the middle.
 */
import { type Camera, type Lens, lensOf, plus } from "../draw/space-lens";
import type { Bounds, Point3 } from "../scene/space";
import type { Point } from "../scene/types";

/** Along the line of sight, to the right, and upwards. */
const KEYS: Readonly<Record<string, Point3>> = {
  w: [1, 0, 0],
  arrowup: [1, 0, 0],
  s: [-1, 0, 0],
  arrowdown: [-1, 0, 0],
  a: [0, -1, 0],
  arrowleft: [0, -1, 0],
  d: [0, 1, 0],
  arrowright: [0, 1, 0],
  e: [0, 0, 1],
  pageup: [0, 0, 1],
  q: [0, 0, -1],
  pagedown: [0, 0, -1],
};
/** Seconds to fly from one end of the scene to the other; with Shift, a quarter of it. */
const SECONDS = 6;
const FASTER = 4;
/** Degrees that a drag across the picture looks around: about what one sees of it. */
const LOOK = 60;

/** Whether a key flies. */
export function fliesBy(key: string): boolean {
  return key.toLowerCase() in KEYS;
}

/** A camera whose eye is at a place. */
export function withEye(camera: Camera, bounds: Bounds, size: { width: number; height: number }, eye: Point3): Camera {
  const lens = lensOf(bounds, { ...camera, aim: [0, 0, 0] }, size.width, size.height);
  return { ...camera, aim: plus(eye, lens.eye, -1) };
}

/** The camera that looks elsewhere from the same place. */
export function looked(camera: Camera, bounds: Bounds, lens: Lens, by: Point): Camera {
  const degrees = LOOK / Math.max(lens.width, lens.height, 1);
  const around = ((((camera.around + by.x * degrees + 180) % 360) + 360) % 360) - 180;
  const above = Math.max(-90, Math.min(camera.above - by.y * degrees, 90));
  return withEye({ ...camera, around, above }, bounds, lens, lens.eye);
}

/** The camera after so many seconds with these keys held: upwards is up whichever way one looks. */
export function flown(camera: Camera, bounds: Bounds, lens: Lens, held: ReadonlySet<string>, seconds: number): Camera {
  const length = Math.hypot(...[0, 1, 2].map((axis) => (bounds.high[axis] ?? 0) - (bounds.low[axis] ?? 0)));
  const way = (Math.max(length, 1) / SECONDS) * (held.has("shift") ? FASTER : 1) * seconds;
  let { aim } = camera;
  for (const key of held) {
    const [ahead, right, up] = KEYS[key] ?? [0, 0, 0];
    aim = plus(plus(aim, lens.forward, ahead * way), lens.right, right * way);
    aim = plus(aim, [0, 0, 1], up * way);
  }
  return { ...camera, aim };
}

/** Calls back with every frame while keys are held. */
export class HeldKeys {
  readonly held = new Set<string>();
  private frame = 0;
  private last = 0;

  constructor(
    private readonly fly: (seconds: number) => void,
    private readonly rest: () => void,
  ) {}

  down(event: KeyboardEvent): void {
    if (event.shiftKey) this.held.add("shift");
    else this.held.delete("shift");
    this.held.add(event.key.toLowerCase());
    if (this.frame !== 0) return;
    this.last = performance.now();
    this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  up(event: KeyboardEvent): void {
    this.held.delete(event.key.toLowerCase());
    if ([...this.held].every((key) => key === "shift")) this.stop();
  }

  private tick(now: number): void {
    // A page that was hidden does not leap.
    this.fly(Math.max(0, Math.min((now - this.last) / 1000, 0.1)));
    this.last = now;
    this.frame = requestAnimationFrame((next) => this.tick(next));
  }

  /** All keys are let go. */
  stop(): void {
    this.held.clear();
    if (this.frame === 0) return;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.rest();
  }
}
