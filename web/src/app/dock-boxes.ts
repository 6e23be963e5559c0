/**
 * Where the panes of a dock lie, as fractions of it.
 *
 * Panes are drawn as one flat, keyed list of boxes rather than nested elements: a split then moves boxes, and no canvas is
 * torn down and drawn again.
 */
import { type Dock, type Leaf, type Path, panes } from "./dock-tree";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface PaneBox {
  /** The view, and its ordinal among panes of that view: stable while the panes before it stay. */
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

const WHOLE: Box = { x: 0, y: 0, width: 1, height: 1 };

export function dockBoxes(tree: Dock): DockBoxes {
  const out: DockBoxes = { panes: [], splitters: [] };
  const full = panes(tree).find(({ node }) => node.maximised);
  if (full) addPane(out, full.node, full.path, WHOLE);
  else place(out, tree, [], WHOLE);
  const seen = new Map<string, number>();
  for (const pane of out.panes) {
    const count = (seen.get(pane.view) ?? 0) + 1;
    seen.set(pane.view, count);
    pane.id = count === 1 ? pane.view : `${pane.view}-${count}`;
  }
  return out;
}

function addPane(out: DockBoxes, node: Leaf, path: Path, box: Box): void {
  const view = node.views[node.front] ?? node.views[0] ?? "";
  out.panes.push({ id: view, view, node, path, box });
}

function place(out: DockBoxes, node: Dock, path: Path, box: Box): void {
  if (node.kind === "leaf") {
    addPane(out, node, path, box);
    return;
  }
  const upright = node.kind === "row";
  let before = 0;
  node.children.forEach((child, i) => {
    const share = node.shares[i] ?? 0;
    place(out, child, [...path, i], part(box, upright, before, share));
    const next = node.shares[i + 1];
    if (next !== undefined) {
      const span = part(box, upright, before, share + next);
      out.splitters.push({ id: [...path, i].join("."), upright, path, index: i, span, shares: [share, next] });
    }
    before += share;
  });
}

/** The part of a box from `from` on, both in thousandths of its width or height. */
function part(box: Box, upright: boolean, from: number, share: number): Box {
  return upright
    ? { ...box, x: box.x + (box.width * from) / 1000, width: (box.width * share) / 1000 }
    : { ...box, y: box.y + (box.height * from) / 1000, height: (box.height * share) / 1000 };
}
