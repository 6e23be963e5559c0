import { describe, expect, it } from "vitest";
import type { Group, SpaceScene } from "../scene/space";
import { lensOf, see } from "./space-lens";
import { solidAt } from "./space-pick";

const PALETTE = [
  [0, 0, 0, 255],
  [0, 0, 0, 51],
] as const;
const BOUNDS = { low: [-1, -1, -1], high: [1, 1, 1] } as const;
const LENS = lensOf(BOUNDS, { around: 0, above: 0, zoom: 1, aim: [0, 0, 0] }, 600, 600);

function scene(...groups: Group[]): SpaceScene {
  return { palette: PALETTE, space: { groups, labels: [], axes: [], bounds: BOUNDS } } as unknown as SpaceScene;
}

function boxes(colours: number[], ...centres: [number, number, number][]): Group {
  return {
    of: "node",
    kind: "boxes",
    count: centres.length,
    place: Float32Array.from(centres.flatMap((centre) => [...centre, 0.2, 0.2, 0.2])),
    colour: Uint16Array.from(colours),
    id: Uint32Array.from(centres.map((_, at) => at + 10)),
  };
}

const TUBE: Group = {
  of: "link",
  kind: "tubes",
  count: 1,
  place: Float32Array.of(-1, 0, 0, 1, 0, 0, 0.05),
  colour: Uint16Array.of(0),
  id: Uint32Array.of(7),
};

describe("the solid at a point", () => {
  it("is the nearest", () => {
    const two = scene(boxes([0, 0], [0, 0.5, 0], [0, -0.5, 0]));
    expect(solidAt(two, LENS, { x: 300, y: 300 })).toMatchObject({ of: "node", id: 11 });
    expect(solidAt(two, LENS, { x: 400, y: 300 })).toBeNull();
  });

  it("is a plate exactly, also of those that touch each other", () => {
    // Two cells of a plan side by side, each deeper than wide; seen from above.
    const cells = boxes([0, 0], [-0.2, 0, 0], [0.2, 0, 0]);
    cells.place.set([0.4, 1.2, 0.01], 3);
    cells.place.set([0.4, 1.2, 0.01], 9);
    const above = lensOf(BOUNDS, { around: 0, above: 90, zoom: 1, aim: [0, 0, 0] }, 600, 600);
    const at = (x: number, y: number) => {
      const seen = see(above, [x, y, 0]);
      return solidAt(scene(cells), above, { x: seen?.x ?? 0, y: seen?.y ?? 0 })?.id;
    };
    expect([at(-0.2, 0), at(-0.02, 0.5), at(0.02, -0.5), at(0.2, 0.55)]).toEqual([10, 10, 11, 11]);
    expect([at(0.45, 0), at(0.2, 0.65)]).toEqual([undefined, undefined]);
  });

  it("is what stands out rather than what fades before it", () => {
    expect(solidAt(scene(boxes([0, 1], [0, 0.5, 0], [0, -0.5, 0])), LENS, { x: 300, y: 300 })?.id).toBe(10);
  });

  it("is a tube along all of its length, and the node at its end", () => {
    const both = scene(boxes([0], [-1, 0, 0]), TUBE);
    const end = see(LENS, [-1, 0, 0]);
    expect(solidAt(both, LENS, { x: end?.x ?? 0, y: 300 })).toMatchObject({ of: "node", id: 10 });
    for (const x of [300, 340, 420]) expect(solidAt(both, LENS, { x, y: 302 })).toMatchObject({ of: "link", id: 7 });
    expect(solidAt(both, LENS, { x: 340, y: 330 })).toBeNull();
    // Also where the node fades and the tube does not.
    expect(solidAt(scene(boxes([1], [-1, 0, 0]), TUBE), LENS, { x: end?.x ?? 0, y: 300 })?.of).toBe("node");
  });
});
