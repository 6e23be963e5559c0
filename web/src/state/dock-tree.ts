/**
 * The dock as a value: a tree of rows and columns with panes at its leaves, and its text in the address.
 *
 * Every operation takes a tree and gives a new one, so that a layout is one field of the place, Back undoes a split, and all
 * of it is tested without a browser. The text is compact and versioned: `1c(260activity,740timeline)` is a column of two
 * panes with 26 and 74 per cent of the height; `timeline.activity!1` is one pane with two tabs, the second in front; `*`
 * marks the pane that fills the dock; `fattree(as=lb~within=2,5)` is a view with options of its own. Ids of panes follow from
 * the tree, so they need no place in the text.
 */

/** Options that a view has in one pane alone, by name, as links write them. What they mean is no affair of the tree. */
export type OwnTexts = Readonly<Record<string, string>>;

/** A view in a pane. */
export interface Tab {
  view: string;
  own: OwnTexts;
}

export interface Leaf {
  kind: "leaf";
  tabs: Tab[];
  /** The tab in front. */
  front: number;
  maximised: boolean;
}
export interface Group {
  kind: "row" | "column";
  children: Dock[];
  /** Shares in thousandths; they add up to 1,000. */
  shares: number[];
}
export type Dock = Leaf | Group;
/** The way from the root to a node: the index of a child on each level. */
export type Path = number[];

/** A split leaves each side at least this share, so that no pane is lost. */
export const LEAST_SHARE = 120;
const MOST_PANES = 16;
const VERSION = "1";

/** A ready-made arrangement of panes, under a name. */
export interface Arrangement {
  name: string;
  text: string;
}

const NO_OWN: OwnTexts = {};

export function leaf(view: string, own: OwnTexts = NO_OWN): Leaf {
  return { kind: "leaf", tabs: [{ view, own }], front: 0, maximised: false };
}

/** The tab of a pane that is in front. */
export function frontOf({ tabs, front }: Leaf): Tab {
  return tabs[front] ?? tabs[0] ?? { view: "", own: NO_OWN };
}

/** The tree of a layout's name or text. What cannot be read, or shows unknown views, becomes the first ready-made one. */
export function readDock(text: string, known: readonly string[], ready: readonly Arrangement[]): Dock {
  const isKnown = (tree: Dock | null) => tree !== null && viewsIn(tree).every((view) => known.includes(view));
  const own = parseDock(ready.find((layout) => layout.name === text)?.text ?? text);
  const choices = [own, ...ready.map((layout) => parseDock(layout.text))];
  return choices.find(isKnown) ?? leaf(known[0] ?? "");
}

/** The name of a ready-made layout if the tree is one, else its text. */
export function writeDock(tree: Dock, ready: readonly Arrangement[]): string {
  const text = VERSION + writeNode(tree);
  return ready.find((layout) => layout.text === text)?.name ?? text;
}

/** The names of all views in a tree, those of tabs behind others too. */
export function viewsIn(tree: Dock): string[] {
  return panes(tree).flatMap(({ node }) => node.tabs.map(({ view }) => view));
}

/** The names of the views that are in front: of each pane, or of the one that fills the dock. */
export function viewsInFront(tree: Dock): string[] {
  const all = panes(tree);
  const full = all.filter(({ node }) => node.maximised);
  return (full.length > 0 ? full : all).map(({ node }) => frontOf(node).view);
}

function writeNode(node: Dock): string {
  if (node.kind === "leaf") {
    return `${node.tabs.map(writeTab).join(".")}${node.front > 0 ? `!${node.front}` : ""}${node.maximised ? "*" : ""}`;
  }
  const children = node.children.map((child, i) => `${node.shares[i] ?? 0}${writeNode(child)}`);
  return `${node.kind === "row" ? "r" : "c"}(${children.join(",")})`;
}

function writeTab({ view, own }: Tab): string {
  const texts = Object.entries(own).map(([name, text]) => `${name}=${escaped(text)}`);
  return texts.length === 0 ? view : `${view}(${texts.join("~")})`;
}

/** A value that holds nothing which ends it, and that people can still read. */
function escaped(text: string): string {
  const percent = (letter: string) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
  const plain = encodeURIComponent(text.toWellFormed()).replace(/%(?:2C|3A|3B)/g, decodeURIComponent);
  return plain.replace(/[~()]/g, percent);
}

/** The options between the brackets; null if they are none. */
function readOwn(text: string): OwnTexts | null {
  const pairs = text.split("~").map((one) => one.split("="));
  try {
    return Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, decodeURIComponent(value)]));
  } catch {
    return null;
  }
}

export function parseDock(text: string): Dock | null {
  if (!text.startsWith(VERSION)) return null;
  let at = VERSION.length;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    at += found?.length ?? 0;
    return found;
  };
  const node = (level: number): Dock | null => {
    const open = take(/[rc]\(/y);
    if (open !== null) return level > 6 ? null : group(open.startsWith("r") ? "row" : "column", level);
    const tabs: Tab[] = [];
    do {
      const view = take(/[a-z][a-z0-9-]*/y);
      const own = take(/\([a-z0-9-]+=[^()~=]*(?:~[a-z0-9-]+=[^()~=]*)*\)/y);
      const texts = own === null ? NO_OWN : readOwn(own.slice(1, -1));
      if (view === null || texts === null) return null;
      tabs.push({ view, own: texts });
    } while (take(/\./y) !== null);
    const front = Number(take(/!\d{1,2}/y)?.slice(1) ?? 0);
    return { kind: "leaf", tabs, front: front < tabs.length ? front : 0, maximised: take(/\*/y) !== null };
  };
  const group = (kind: "row" | "column", level: number): Group | null => {
    const children: Dock[] = [];
    const shares: number[] = [];
    do {
      shares.push(Number(take(/\d{1,4}/y) ?? Number.NaN));
      const child = node(level + 1);
      if (!child) return null;
      children.push(child);
    } while (take(/,/y) !== null);
    if (take(/\)/y) === null || children.length < 2 || shares.some((share) => !(share > 0))) return null;
    return { kind, children, shares: normalise(shares) };
  };
  const tree = node(0);
  return tree && at === text.length && panes(tree).length <= MOST_PANES ? tree : null;
}

/** Shares as whole thousandths that add up to 1,000. */
export function normalise(shares: number[]): number[] {
  const sum = shares.reduce((a, b) => a + b, 0);
  let before = 0;
  let used = 0;
  return shares.map((share) => {
    before += share;
    const upTo = Math.round((before / sum) * 1000);
    const own = upTo - used;
    used = upTo;
    return own;
  });
}

/** All panes in reading order, with the way to them. */
export function panes(tree: Dock, path: Path = []): { node: Leaf; path: Path }[] {
  if (tree.kind === "leaf") return [{ node: tree, path }];
  return tree.children.flatMap((child, i) => panes(child, [...path, i]));
}

/**
 * The id of each pane, in reading order: the view in front, and its ordinal among panes of that view. It is stable while the
 * panes before it stay.
 */
export function paneIds(tree: Dock): string[] {
  const seen = new Map<string, number>();
  return panes(tree).map(({ node }) => {
    const { view } = frontOf(node);
    const count = (seen.get(view) ?? 0) + 1;
    seen.set(view, count);
    return count === 1 ? view : `${view}-${count}`;
  });
}

/** The way to the pane of an id; null if there is none. */
function pathOf(tree: Dock, id: string): Path | null {
  return panes(tree)[paneIds(tree).indexOf(id)]?.path ?? null;
}

/** The options of its own that a pane's view in front has. */
export function ownTexts(tree: Dock, id: string): OwnTexts {
  const node = panes(tree)[paneIds(tree).indexOf(id)]?.node;
  return node === undefined ? NO_OWN : frontOf(node).own;
}

/** Gives a pane's view in front other options of its own. */
export function setOwnTexts(tree: Dock, id: string, own: OwnTexts): Dock {
  const path = pathOf(tree, id);
  if (path === null) return tree;
  return changeLeaf(tree, path, (node) => ({
    ...node,
    tabs: node.tabs.map((tab, i) => (i === node.front ? { ...tab, own } : tab)),
  }));
}

/** The same panes without options of their own. */
export function withoutOwn(tree: Dock): Dock {
  if (tree.kind === "leaf") return { ...tree, tabs: tree.tabs.map(({ view }) => ({ view, own: NO_OWN })) };
  return { ...tree, children: tree.children.map(withoutOwn) };
}

function replace(tree: Dock, path: Path, change: (node: Dock) => Dock | null): Dock | null {
  const [head, ...rest] = path;
  if (head === undefined || tree.kind === "leaf") return change(tree);
  const children: Dock[] = [];
  const shares: number[] = [];
  tree.children.forEach((child, i) => {
    const next = i === head ? replace(child, rest, change) : child;
    if (!next) return;
    const share = tree.shares[i] ?? 0;
    if (next.kind === tree.kind) {
      // A row in a row is one row: otherwise splitters nest and shares surprise.
      children.push(...next.children);
      shares.push(...next.shares.map((part) => (part * share) / 1000));
    } else {
      children.push(next);
      shares.push(share);
    }
  });
  if (children.length <= 1) return children[0] ?? null;
  return { kind: tree.kind, children, shares: normalise(shares) };
}

/** Splits a pane in two equal halves; the new one, right or below, shows `view`, with these options of its own. */
export function split(tree: Dock, path: Path, kind: "row" | "column", { view, own }: Tab): Dock {
  if (panes(tree).length >= MOST_PANES) return tree;
  const halves = (node: Dock): Dock => ({ kind, children: [node, leaf(view, own)], shares: [500, 500] });
  return replace(restore(tree), path, halves) ?? tree;
}

/** Splits the pane of an id. */
export function splitPane(tree: Dock, id: string, kind: "row" | "column", tab: Tab): Dock {
  const path = pathOf(tree, id);
  return path === null ? tree : split(tree, path, kind, tab);
}

function changeLeaf(tree: Dock, path: Path, change: (node: Leaf) => Leaf | null): Dock {
  return replace(tree, path, (node) => (node.kind === "leaf" ? change(node) : node)) ?? tree;
}

export function addTab(tree: Dock, path: Path, view: string): Dock {
  return changeLeaf(tree, path, (node) => ({
    ...node,
    tabs: [...node.tabs, { view, own: NO_OWN }],
    front: node.tabs.length,
  }));
}

export function showTab(tree: Dock, path: Path, front: number): Dock {
  return changeLeaf(tree, path, (node) => ({ ...node, front }));
}

/** Shows another view in the tab in front. */
export function changeView(tree: Dock, path: Path, view: string): Dock {
  return changeLeaf(tree, path, (node) => ({
    ...node,
    tabs: node.tabs.map((tab, i) => (i === node.front ? { view, own: NO_OWN } : tab)),
  }));
}

/** Closes a tab, and its pane with its last tab. The last pane of the dock stays. */
export function closeTab(tree: Dock, path: Path, tab: number): Dock {
  return changeLeaf(tree, path, (node) => {
    const tabs = node.tabs.filter((_, i) => i !== tab);
    if (tabs.length === 0) return panes(tree).length > 1 ? null : node;
    return { ...node, tabs, front: Math.min(node.front > tab ? node.front - 1 : node.front, tabs.length - 1) };
  });
}

/** No pane fills the dock. */
export function restore(tree: Dock): Dock {
  if (tree.kind === "leaf") return tree.maximised ? { ...tree, maximised: false } : tree;
  return { ...tree, children: tree.children.map(restore) };
}

/** Lets one pane fill the dock, or puts it back. */
export function toggleMaximised(tree: Dock, path: Path): Dock {
  const was = panes(tree).some(({ node }) => node.maximised);
  const plain = restore(tree);
  return was ? plain : changeLeaf(plain, path, (node) => ({ ...node, maximised: true }));
}

/** Moves the border after child `index` of a group so that it stands at `share` of the two it divides. */
export function resize(tree: Dock, path: Path, index: number, share: number): Dock {
  const next = replace(tree, path, (node) => {
    if (node.kind === "leaf") return node;
    const both = (node.shares[index] ?? 0) + (node.shares[index + 1] ?? 0);
    const least = Math.min(LEAST_SHARE, both / 2);
    const first = Math.round(Math.min(Math.max(share, least), both - least));
    return { ...node, shares: node.shares.map((s, i) => (i === index ? first : i === index + 1 ? both - first : s)) };
  });
  return next ?? tree;
}
