/**
 * A camera in front of a scene in space: from places in space to pixels. The twin of `Lens` in Rust, which projects figures
 * and says what lies in a rectangle: both must agree.
 */
import type { Bounds, Point3 } from "../scene/space";
import type { Point } from "../scene/types";

/** Where one looks from. */
export interface Camera {
  /** Degrees around the upright axis, and above the horizon. */
  around: number;
  above: number;
  /** How close; at 1 everything is in view. */
  zoom: number;
  /** What is in the middle, from the middle of everything. */
  aim: Point3;
}

/** Half of what a camera sees upwards and downwards, as a tangent: a field of view of 30 degrees. */
const HALF_VIEW = 0.2679491924311227;
/** Room around everything, as a share. */
const ROOM = 1.04;
/** What is nearer to the eye than this is not seen. */
export const NEAREST = 0.2;

export interface Lens {
  eye: Point3;
  right: Point3;
  up: Point3;
  /** Away from the viewer. */
  forward: Point3;
  /** Pixels of one unit that is one unit away. */
  focal: number;
  /** How far the middle is away. */
  away: number;
  /** Size of the picture. */
  width: number;
  height: number;
}

export interface Seen extends Point {
  /** From the eye along the line of sight. */
  depth: number;
}

export function dot(a: Point3, b: Point3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** `a + b * by` */
export function plus(a: Point3, b: Point3, by: number): Point3 {
  return [a[0] + b[0] * by, a[1] + b[1] * by, a[2] + b[2] * by];
}

/**
 * At zoom 1 the bounds fit however they are turned around the upright axis, so that turning keeps sizes; those of a plan fit
 * exactly as they are seen.
 */
export function lensOf({ low, high, isPlan }: Bounds, camera: Camera, width: number, height: number): Lens {
  const [turn, tilt] = [(camera.around * Math.PI) / 180, (camera.above * Math.PI) / 180];
  const [sine, cosine, above, level] = [Math.sin(turn), Math.cos(turn), Math.sin(tilt), Math.cos(tilt)];
  const forward: Point3 = [-sine * level, cosine * level, -above];
  const up: Point3 = [-sine * above, cosine * above, level];
  const [wide, deep, tall] = [(high[0] - low[0]) / 2, (high[1] - low[1]) / 2, (high[2] - low[2]) / 2];
  const right: Point3 = [cosine, sine, 0];
  const radius = Math.hypot(wide, deep);
  const sideways = (HALF_VIEW * width) / height;
  const reach = (way: Point3) => Math.abs(way[0] * wide) + Math.abs(way[1] * deep) + Math.abs(way[2] * tall);
  const exact = Math.max(reach(right) / sideways, reach(up) / HALF_VIEW) + reach(forward);
  const across = radius * Math.sqrt(sideways ** -2 + level ** 2) + tall * Math.abs(above);
  const down = [1, -1].map(
    (side) =>
      tall * Math.abs((side * level) / HALF_VIEW + above) + radius * Math.abs(level - (side * above) / HALF_VIEW),
  );
  const fitting = isPlan === true ? exact : Math.max(across, ...down);
  const away = (ROOM * Math.max(fitting, 1)) / camera.zoom;
  const centre: Point3 = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2];
  const eye = plus(plus(centre, camera.aim, 1), forward, -away);
  return { eye, right, up, forward, focal: height / 2 / HALF_VIEW, away, width, height };
}

/** Where a place is seen; null if it is behind the eye. */
export function see(lens: Lens, at: Point3): Seen | null {
  const from = plus(at, lens.eye, -1);
  const depth = dot(from, lens.forward);
  if (depth < NEAREST) return null;
  const scale = lens.focal / depth;
  return {
    x: lens.width / 2 + dot(from, lens.right) * scale,
    y: lens.height / 2 - dot(from, lens.up) * scale,
    depth,
  };
}

/** The camera turned by a drag of so many pixels: half a turn across the picture. */
export function turned(camera: Camera, by: Point, size: number): Camera {
  const degrees = 180 / Math.max(size, 1);
  const around = ((((camera.around - by.x * degrees + 180) % 360) + 360) % 360) - 180;
  const above = Math.max(-90, Math.min(camera.above + by.y * degrees, 90));
  return { ...camera, around, above };
}

/** The camera moved so that what is in the middle follows the hand. */
export function moved(camera: Camera, lens: Lens, by: Point): Camera {
  const units = lens.away / lens.focal;
  return { ...camera, aim: plus(plus(camera.aim, lens.right, -by.x * units), lens.up, by.y * units) };
}

const ZOOMS = [0.1, 100] as const;

/** The camera closer by a factor, such that what is under the pointer at the distance of the middle stays there. */
export function zoomed(camera: Camera, lens: Lens, at: Point, factor: number): Camera {
  const zoom = Math.max(ZOOMS[0], Math.min(camera.zoom * factor, ZOOMS[1]));
  const share = 1 - camera.zoom / zoom;
  const from = { x: at.x - lens.width / 2, y: at.y - lens.height / 2 };
  return { ...moved(camera, lens, { x: -from.x * share, y: -from.y * share }), zoom };
}
