/**
 * Which solid is under the pointer. A walk over all of them takes a millisecond or two for tens of thousands, needs no second
 * picture on the graphics card, and asks nobody.
 */
import { type Group, NUMBERS, type SpaceScene } from "../scene/space";
import type { Point } from "../scene/types";
import { type Lens, NEAREST } from "./space-lens";

export interface Solid {
  of: Group["of"];
  id: number;
  /** Where its middle is on the canvas, and how far it reaches about it. */
  at: Point;
  reach: number;
}

/** Things are hit from so many pixels away. */
const NEAR = { node: 4, tube: 3 } as const;
/** The share of a tube at either end that belongs to what stands there. */
const ENDS = 0.12;

/** What is seen at a point: the nearest of what stands out, or else of what recedes. */
export function solidAt(scene: SpaceScene, lens: Lens, at: Point): Solid | null {
  let best: { solid: Solid; isFull: boolean; depth: number } | null = null;
  for (const group of scene.space.groups) {
    // The way of a message is only shown.
    if (group.of === "message") continue;
    const size = NUMBERS[group.kind];
    for (let index = 0; index < group.count; index += 1) {
      const hit =
        group.kind === "tubes"
          ? hitTube(group.place, index * size, lens, at)
          : group.kind === "boxes"
            ? hitBox(group.place, index * size, lens, at)
            : hitBody(group.place, index * size, 1, lens, at);
      if (hit === null) continue;
      const isFull = scene.palette[group.colour[index] ?? 0]?.[3] === 255;
      if (best !== null && (best.isFull === isFull ? best.depth <= hit.depth : best.isFull)) continue;
      best = {
        solid: { of: group.of, id: group.id[index] ?? 0, at: hit.at, reach: hit.reach },
        isFull,
        depth: hit.depth,
      };
    }
  }
  return best?.solid ?? null;
}

interface Hit {
  at: Point;
  reach: number;
  depth: number;
}

/** Into the lens without objects: this runs for every solid. */
const ends = new Float64Array(6);

function project(place: Float32Array, from: number, lens: Lens, to: number): void {
  const { eye, right, up, forward } = lens;
  const x = (place[from] ?? 0) - eye[0];
  const y = (place[from + 1] ?? 0) - eye[1];
  const z = (place[from + 2] ?? 0) - eye[2];
  const depth = x * forward[0] + y * forward[1] + z * forward[2];
  const scale = lens.focal / depth;
  ends[to] = lens.width / 2 + (x * right[0] + y * right[1] + z * right[2]) * scale;
  ends[to + 1] = lens.height / 2 - (x * up[0] + y * up[1] + z * up[2]) * scale;
  ends[to + 2] = depth;
}

/** A box: exactly, since plates and cells stand close to each other; where it is tiny, as a square about its middle. */
function hitBox(place: Float32Array, from: number, lens: Lens, at: Point): Hit | null {
  project(place, from, lens, 0);
  const [x = 0, y = 0, middle = 0] = ends;
  const longest = Math.max(place[from + 3] ?? 0, place[from + 4] ?? 0, place[from + 5] ?? 0);
  const reach = ((longest / 2) * lens.focal) / middle;
  if (middle >= NEAREST && reach < 2 * NEAR.node) return hitBody(place, from, 2, lens, at);
  // The ray through the pixel, one unit deep per unit, and where it is between both sides of the box in all directions.
  const { eye, right, up, forward, focal } = lens;
  const [across, above] = [(at.x - lens.width / 2) / focal, (lens.height / 2 - at.y) / focal];
  let [near, far] = [NEAREST, Number.POSITIVE_INFINITY];
  for (let axis = 0; axis < 3; axis += 1) {
    const ray = (forward[axis] ?? 0) + across * (right[axis] ?? 0) + above * (up[axis] ?? 0);
    const [centre, half] = [(place[from + axis] ?? 0) - (eye[axis] ?? 0), (place[from + 3 + axis] ?? 0) / 2];
    if (Math.abs(ray) < 1e-9) {
      if (Math.abs(centre) > half) return null;
      continue;
    }
    const [one, other] = [(centre - half) / ray, (centre + half) / ray];
    near = Math.max(near, Math.min(one, other));
    far = Math.min(far, Math.max(one, other));
  }
  return near > far ? null : { at: { x, y }, reach, depth: near };
}

/** A small box or a sphere: as a square about its middle. `parts` of its extent reach from the middle to the side. */
function hitBody(place: Float32Array, from: number, parts: number, lens: Lens, at: Point): Hit | null {
  project(place, from, lens, 0);
  const [x = 0, y = 0, depth = 0] = ends;
  if (depth < NEAREST) return null;
  const half = (place[from + 3] ?? 0) / parts;
  const reach = Math.max((half * lens.focal) / depth, NEAR.node);
  // A box is seen from its corner.
  const seen = parts === 2 ? reach * 1.2 : reach;
  if (Math.abs(at.x - x) > seen || Math.abs(at.y - y) > seen) return null;
  return { at: { x, y }, reach: seen, depth: depth - half };
}

function hitTube(place: Float32Array, from: number, lens: Lens, at: Point): Hit | null {
  project(place, from, lens, 0);
  project(place, from + 3, lens, 3);
  const [x0 = 0, y0 = 0, depth0 = 0, x1 = 0, y1 = 0, depth1 = 0] = ends;
  if (depth0 < NEAREST || depth1 < NEAREST) return null;
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = dx * dx + dy * dy;
  const part = length > 0 ? ((at.x - x0) * dx + (at.y - y0) * dy) / length : 0.5;
  if (part < ENDS || part > 1 - ENDS) return null;
  const depth = depth0 + (depth1 - depth0) * part;
  const reach = Math.max(((place[from + 6] ?? 0) * lens.focal) / depth, NEAR.tube);
  const [gapX, gapY] = [at.x - x0 - dx * part, at.y - y0 - dy * part];
  if (gapX * gapX + gapY * gapY > reach * reach) return null;
  return { at: { x: (x0 + x1) / 2, y: (y0 + y1) / 2 }, reach, depth };
}
