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

/** What solids stand for. */
export const SUBJECTS = ["node", "link", "rank", "nic", "block", "message"] as const;
export type Subject = (typeof SUBJECTS)[number];

/** Solids of one shape that stand for things of one kind. */
export interface Group {
  of: Subject;
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
  /** Whether all of it lies on one plane: one moves over it and does not turn it, and it fills the plot. */
  isPlan?: boolean;
}

export interface Space {
  groups: Group[];
  labels: { at: Point3; text: string; colour: ColourId }[];
  /** Directions that have names. */
  axes: { towards: Point3; name: string; colour: ColourId }[];
  bounds: Bounds;
  /** Where one looks from unless somebody turned it: degrees around it and above it. */
  turn: readonly [number, number];
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
      bounds: {
        low: readPoint(space.low, "space.low"),
        high: readPoint(space.high, "space.high"),
        isPlan: space.plan === true,
      },
      turn: readTurn(space.turn),
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
    of: asOneOf(group.of, `${path}.of`, SUBJECTS),
    kind,
    count,
    place: readArray(group.place, `${path}.place`, ["f32"], count * NUMBERS[kind], arrays),
    colour,
    id: readArray(group.id, `${path}.id`, ["u32"], count, arrays),
  };
}

function readTurn(value: unknown): readonly [number, number] {
  const [around, above] = asList(value, "space.turn", 2).map((number, at) => asNumber(number, `space.turn[${at}]`));
  if (around === undefined || above === undefined) throw new SceneError("space.turn needs two numbers");
  return [around, above];
}

function readPoint(value: unknown, path: string): Point3 {
  const [x, y, z] = asList(value, path, 3).map((number, at) => asNumber(number, `${path}[${at}]`));
  if (x === undefined || y === undefined || z === undefined) throw new SceneError(`${path} needs three numbers`);
  return [x, y, z];
}
