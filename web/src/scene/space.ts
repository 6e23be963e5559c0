/**
 * A scene in space: boxes, spheres and tubes, which the page turns without asking again, and the reader of its wire form.
 *
 * As with plain scenes, every length and every reference is checked here, once.
 */
import { type Arrays, checkColours, MOST, readArray, readColourId, readHeader, readScene } from "./decode";
import { asCount, asFields, asList, asNumber, asOneOf, asText, SceneError } from "./fields";
import type { ColourId, ColourIds, Scene } from "./types";

const FORM = { magic: "HSC3", version: 1 } as const;
const MOST_GROUPS = 64;

/** A place or a direction; the third coordinate goes up. */
export type Point3 = readonly [number, number, number];

export type SolidKind = "boxes" | "spheres" | "tubes";

/** Numbers that say where a solid is: middle and lengths, middle and radius, or both ends and radius. */
export const NUMBERS: Readonly<Record<SolidKind, number>> = { boxes: 6, spheres: 4, tubes: 7 };

/** Solids of one shape that stand for things of one kind. */
export interface Group {
  of: "node" | "link" | "rank";
  kind: SolidKind;
  count: number;
  /** As many numbers for each as `NUMBERS` says. */
  place: Float32Array<ArrayBuffer>;
  colour: ColourIds;
  /** What each stands for. */
  id: Uint32Array<ArrayBuffer>;
}

export interface Bounds {
  low: Point3;
  high: Point3;
}

export interface Space {
  groups: Group[];
  labels: { at: Point3; text: string; colour: ColourId }[];
  /** Directions that have names. */
  axes: { towards: Point3; name: string; colour: ColourId }[];
  bounds: Bounds;
}

/** A scene in space: what is not in it, such as the palette and the legend, and what is. */
export interface SpaceScene extends Scene {
  space: Space;
}

/** The scene in a buffer. Throws `SceneError` if there is none. */
export function decodeSpace(buffer: ArrayBuffer): SpaceScene {
  const { header, start } = readHeader(buffer, FORM);
  const arrays: Arrays = { buffer, start };
  const scene = readScene(header, arrays);
  const space = asFields(header.space, "space");
  const colours = scene.palette.length;
  const list = (name: string, most: number) => asList(space[name], `space.${name}`, most);
  return {
    ...scene,
    space: {
      groups: list("groups", MOST_GROUPS).map((group, at) => readGroup(group, `space.groups[${at}]`, arrays, colours)),
      labels: list("labels", MOST.texts).map((value, at) => {
        const path = `space.labels[${at}]`;
        const label = asFields(value, path);
        return {
          at: readPoint(label.at, `${path}.at`),
          text: asText(label.text, `${path}.text`),
          colour: readColourId(label.colour, `${path}.colour`, colours),
        };
      }),
      axes: list("axes", MOST.texts).map((value, at) => {
        const path = `space.axes[${at}]`;
        const axis = asFields(value, path);
        return {
          towards: readPoint(axis.towards, `${path}.towards`),
          name: asText(axis.name, `${path}.name`),
          colour: readColourId(axis.colour, `${path}.colour`, colours),
        };
      }),
      bounds: { low: readPoint(space.low, "space.low"), high: readPoint(space.high, "space.high") },
    },
  };
}

function readGroup(value: unknown, path: string, arrays: Arrays, colours: number): Group {
  const group = asFields(value, path);
  const kind = asOneOf(group.kind, `${path}.kind`, ["boxes", "spheres", "tubes"]);
  const count = asCount(group.count, `${path}.count`, MOST.marks);
  const colour = readArray(group.colour, `${path}.colour`, ["u16"], count, arrays);
  checkColours(colour, colours, `${path}.colour`);
  return {
    of: asOneOf(group.of, `${path}.of`, ["node", "link", "rank"]),
    kind,
    count,
    place: readArray(group.place, `${path}.place`, ["f32"], count * NUMBERS[kind], arrays),
    colour,
    id: readArray(group.id, `${path}.id`, ["u32"], count, arrays),
  };
}

function readPoint(value: unknown, path: string): Point3 {
  const [x, y, z] = asList(value, path, 3).map((number, at) => asNumber(number, `${path}[${at}]`));
  if (x === undefined || y === undefined || z === undefined) throw new SceneError(`${path} needs three numbers`);
  return [x, y, z];
}
