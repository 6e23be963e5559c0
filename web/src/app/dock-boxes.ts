/**
 * Where the panes of a dock lie, as fractions of it and pixels beside.
 *
 * A view may have a height of its own, whatever the height of the dock is: in a column its panes get that, and the others
 * divide the rest.
 *
 * Panes are drawn as one flat, keyed list of boxes rather than nested elements: a split then moves boxes, and no canvas is
 * torn down and drawn again.
 */
import { type Dock, frontOf, type Leaf, type Path, paneIds, panes } from "../state/dock-tree";

/** A part of the dock's width or height, and some pixels. */
export interface Length {
  part: number;
  pixels: number;
}
export interface Box {
  x: Length;
  y: Length;
  width: Length;
  height: Length;
}
export interface PaneBox {
  /** See `paneIds`. */
  id: string;
  view: string;
  node: Leaf;
  path: Path;
  box: Box;
}
export interface Splitter {
  id: string;
  /** A row's splitter is upright. */
  upright: boolean;
  /** The group, and the child before the splitter. */
  path: Path;
  index: number;
  /** Where the two neighbours lie together, and the share of the first of both. */
  span: Box;
  shares: [number, number];
}

export interface DockBoxes {
  panes: PaneBox[];
  splitters: Splitter[];
}

const NONE: Length = { part: 0, pixels: 0 };
const ALL: Length = { part: 1, pixels: 0 };
const WHOLE: Box = { x: NONE, y: NONE, width: ALL, height: ALL };

/** The height of a view's panes in pixels; undefined for those that take what there is. */
export type OwnHeight = (view: string) => number | undefined;

export function dockBoxes(tree: Dock, ownHeight: OwnHeight = () => undefined): DockBoxes {
  const out: DockBoxes = { panes: [], splitters: [] };
  const all = panes(tree);
  const full = all.find(({ node }) => node.maximised);
  if (full) addPane(out, full.node, full.path, WHOLE);
  else place(out, tree, [], WHOLE, ownHeight);
  const ids = paneIds(tree);
  for (const pane of out.panes) pane.id = ids[all.findIndex(({ node }) => node === pane.node)] ?? pane.view;
  return out;
}

function addPane(out: DockBoxes, node: Leaf, path: Path, box: Box): void {
  const { view } = frontOf(node);
  out.panes.push({ id: view, view, node, path, box });
}

function place(out: DockBoxes, node: Dock, path: Path, box: Box, ownHeight: OwnHeight): void {
  if (node.kind === "leaf") {
    addPane(out, node, path, box);
    return;
  }
  const upright = node.kind === "row";
  const [from, length] = upright ? ([box.x, box.width] as const) : ([box.y, box.height] as const);
  const heights = upright ? node.children.map(() => undefined) : fixed(node.children, ownHeight);
  const isFixed = (i: number) => heights[i] !== undefined;
  const taken = heights.reduce<number>((sum, height) => sum + (height ?? 0), 0);
  const free = node.shares.reduce((sum, share, i) => (isFixed(i) ? sum : sum + share), 0);
  /** The rest of the group, by shares of those that have no height of their own. */
  const part = (i: number): Length => {
    const share = (node.shares[i] ?? 0) / free;
    return { part: length.part * share, pixels: (length.pixels - taken) * share };
  };
  let before = from;
  node.children.forEach((child, i) => {
    const own = isFixed(i) ? { part: 0, pixels: heights[i] ?? 0 } : part(i);
    place(out, child, [...path, i], within(box, upright, before, own), ownHeight);
    const next = node.shares[i + 1];
    if (next !== undefined && !isFixed(i) && !isFixed(i + 1)) {
      const span = within(box, upright, before, sum(own, part(i + 1)));
      out.splitters.push({
        id: [...path, i].join("."),
        upright,
        path,
        index: i,
        span,
        shares: [node.shares[i] ?? 0, next],
      });
    }
    before = sum(before, own);
  });
}

/** The own heights of a column's children, if anything is left to take the rest. */
function fixed(children: Dock[], ownHeight: OwnHeight): (number | undefined)[] {
  const heights = children.map((child) => (child.kind === "leaf" ? ownHeight(frontOf(child).view) : undefined));
  return heights.every((height) => height !== undefined) ? children.map(() => undefined) : heights;
}

function sum(a: Length, b: Length): Length {
  return { part: a.part + b.part, pixels: a.pixels + b.pixels };
}

/** The part of a box from `from` on, `length` long. */
function within(box: Box, upright: boolean, from: Length, length: Length): Box {
  return upright ? { ...box, x: from, width: length } : { ...box, y: from, height: length };
}

/** For a style. */
export function css({ part, pixels }: Length): string {
  const rounded = (value: number) => Math.round(value * 1000) / 1000;
  const share = `${rounded(part * 100)}%`;
  return pixels === 0 ? share : `calc(${share} + ${rounded(pixels)}px)`;
}
