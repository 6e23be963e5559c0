/** All commands of the page. Keys, palette and help are made of this one list. */
import { canBrush, canMeasure } from "../panels/mouse";
import { pan, STEPS, step, wordsOf, zoom } from "../panels/moves";
import { focusSearch, showWarnings } from "../panels/ui";
import { addTab, closeTab, type Dock, frontOf, type Leaf, panes, split, toggleMaximised } from "../state/dock-tree";
import {
  brushTool,
  type Command,
  canRedo,
  canUndo,
  canUnlink,
  clear,
  clearRuler,
  closeTour,
  details,
  dialog,
  dock,
  drawerOpen,
  fitSelection,
  focusedTime,
  go,
  hasOwnEmphasis,
  moveStop,
  notes,
  offeredLayouts,
  openTour,
  place,
  playNotes,
  rectangle,
  redo,
  ruler,
  rulerTool,
  say,
  setDock,
  shareUrl,
  showAll,
  showLayout,
  stopIndex,
  toggleLinked,
  toggleTheme,
  tour,
  trace,
  typedWindow,
  undo,
  writeNote,
} from "../state/state";
import { inSight, viewOf, views } from "../views/registry";
import { currentPane } from "./dock-state";
import { saveFigure, showFigureDialog } from "./figure";
import { closeDrawer } from "./sides";

export async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(shareUrl());
    say("Link copied. It opens this picture, without the token.");
  } catch {
    say("The browser does not allow copying; the address bar has the same link.");
  }
}

/** Works on the pane that was last used. */
function onPane(change: (path: number[], node: Leaf) => Dock): () => void {
  return () => {
    const pane = currentPane();
    if (pane) setDock(change(pane.path, pane.node));
  };
}

const selected = () => place.value.selected !== null;

const MOVES: Command[] = [
  { title: "Zoom in", group: "Move", press: { key: "w" }, run: () => zoom(1 / 1.25) },
  { title: "Zoom out", group: "Move", press: { key: "s" }, run: () => zoom(1.25) },
  { title: "Pan left", group: "Move", press: { key: "a" }, run: () => pan(-0.1) },
  { title: "Pan right", group: "Move", press: { key: "d" }, run: () => pan(0.1) },
  { title: "Whole run", group: "Move", press: { key: "0" }, run: showAll },
  { title: "Type a window of time", group: "Move", press: { key: "g" }, ready: canMeasure, run: typeWindow },
  { title: "Zoom to the selection", group: "Move", press: { key: "f" }, run: fitSelection },
  { title: "Undo", group: "Move", press: { key: "z", mod: true }, run: undo, ready: () => canUndo.value },
  { title: "Redo", group: "Move", press: { key: "z", mod: true, shift: true }, run: redo, ready: () => canRedo.value },
];

function typeWindow(): void {
  typedWindow.value = focusedTime();
  dialog.value = "window";
}

/** From where the selection begins to where it ends. */
function measureSelection(): void {
  const { start_ns, end_ns } = details.answer.value ?? {};
  const time = rectangle.value?.time ?? [Number(start_ns), Number(end_ns ?? start_ns)];
  if (!time.every(Number.isFinite)) say("The selection has no single place in time.");
  else ruler.value = { from: time[0] ?? 0, to: time[1] ?? 0, onEdge: [true, true] };
}

const isMeasuring = () => ruler.value !== null || rulerTool.value;

const MEASURES: Command[] = [
  {
    title: "Ruler: the next drag measures",
    group: "Select",
    press: { key: "r" },
    ready: canMeasure,
    run: () => {
      rulerTool.value = !rulerTool.value;
      if (rulerTool.value) say("Drag over a pane to measure; Esc ends it.");
    },
  },
  {
    title: "Toggle brushing by plain drag",
    group: "Select",
    ready: canBrush,
    run: () => {
      brushTool.value = !brushTool.value;
    },
  },
  { title: "Measure the selection", group: "Select", ready: selected, run: measureSelection },
];

const WORDS = {
  previous: "Previous call",
  next: "Next call",
  parent: "Caller",
  child: "Callee",
  partner: "Follow the message to its partner",
};

/** Escape leaves the innermost of what is open: a drawer, what one has selected, the tour, what stands out of its own. */
const LEAVES: Command[] = [
  {
    title: "Take the ruler away",
    group: "Page",
    press: { key: "Escape" },
    keyOnly: true,
    ready: isMeasuring,
    run: clearRuler,
  },
  {
    title: "Close what lies over the views",
    group: "Page",
    press: { key: "Escape" },
    keyOnly: true,
    ready: () => drawerOpen.value,
    run: closeDrawer,
  },
  {
    title: "Close the tour, unless you have selected something",
    group: "Page",
    press: { key: "Escape" },
    keyOnly: true,
    ready: () => isTouring() && !hasOwnEmphasis.value,
    run: closeTour,
  },
];

const SELECTS: Command[] = [
  ...STEPS.map((move): Command => {
    const { step: which, key } = move;
    return {
      title: WORDS[which],
      group: "Select",
      press: { key },
      ready: selected,
      run: () => {
        if (!step(which)) say(wordsOf(move, details.answer.value?.kind)?.none ?? move.none);
      },
    };
  }),
  { title: "Clear the selection, then the highlight", group: "Select", press: { key: "Escape" }, run: clear },
];

const FINDS: Command[] = [
  { title: "Search", group: "Find", press: { key: "/" }, run: focusSearch },
  { title: "All commands", group: "Find", press: { key: "k", mod: true }, run: () => (dialog.value = "palette") },
  {
    title: "Show all ranks",
    group: "Find",
    ready: () => place.value.ranks !== "",
    run: () => go({ ranks: "" }, "push"),
  },
  {
    title: "Show all rows",
    group: "Find",
    ready: () => place.value.rows !== null,
    run: () => go({ rows: null }, "push"),
  },
  {
    title: "Show hidden functions",
    group: "Find",
    ready: () => place.value.hidden.length > 0,
    run: () => go({ hidden: [] }, "push"),
  },
  {
    title: "Show warnings",
    group: "Find",
    ready: () => (trace.value?.warnings.length ?? 0) > 0,
    run: showWarnings,
  },
];

const severalPanes = () => panes(dock.value).length > 1 || (currentPane()?.node.tabs.length ?? 1) > 1;

const PANES: Command[] = [
  {
    title: "Split pane right",
    group: "Panes",
    run: onPane((path, node) => split(dock.value, path, "row", frontOf(node))),
  },
  {
    title: "Split pane down",
    group: "Panes",
    run: onPane((path, node) => split(dock.value, path, "column", frontOf(node))),
  },
  {
    title: "Maximise or restore pane",
    group: "Panes",
    press: { key: "x" },
    run: onPane((path) => toggleMaximised(dock.value, path)),
  },
  {
    title: "Give the pane a window of its own, or link it again",
    group: "Panes",
    press: { key: "l" },
    ready: () => canUnlink(viewOf(currentPane()?.view ?? "")),
    run: () => toggleLinked(currentPane()?.id ?? ""),
  },
  {
    title: "Close pane",
    group: "Panes",
    ready: severalPanes,
    run: onPane((path, { front }) => closeTab(dock.value, path, front)),
  },
];

const PAGE: Command[] = [
  { title: "Light or dark theme", group: "Page", press: { key: "t" }, run: toggleTheme },
  { title: "Keyboard and mouse", group: "Page", press: { key: "?" }, run: () => (dialog.value = "help") },
  { title: "Copy link to this picture", group: "Page", run: copyLink },
  { title: "Save figure as PNG", group: "Page", run: () => saveFigure("png") },
  { title: "Save figure as SVG", group: "Page", run: () => saveFigure("svg") },
  { title: "Save figure as PDF", group: "Page", run: () => saveFigure("pdf") },
  { title: "Figure for a paper: width in mm, size of text", group: "Page", run: showFigureDialog },
];

const isTouring = () => stopIndex.value !== null;

const NOTES: Command[] = [
  { title: "Add a note about this view", group: "Page", press: { key: "b" }, run: writeNote },
  {
    title: "Play the notes as a tour",
    group: "Page",
    ready: () => (notes.value?.notes.length ?? 0) > 0 && !isTouring(),
    run: playNotes,
  },
];

const TOUR: Command[] = [
  { title: "Next stop of the tour", group: "Page", press: { key: "n" }, ready: isTouring, run: () => moveStop(1) },
  { title: "Previous stop of the tour", group: "Page", press: { key: "p" }, ready: isTouring, run: () => moveStop(-1) },
  { title: "Open the tour", group: "Page", ready: () => tour.value !== null && !isTouring(), run: openTour },
  { title: "Close the tour", group: "Page", ready: isTouring, run: closeTour },
];

/** Without a selection, left and right arrows move the window. They come second, so a selection has them first. */
const ARROWS: Command[] = [
  {
    title: "Pan left, with nothing selected",
    group: "Move",
    press: { key: "ArrowLeft" },
    keyOnly: true,
    run: () => pan(-0.1),
  },
  {
    title: "Pan right, with nothing selected",
    group: "Move",
    press: { key: "ArrowRight" },
    keyOnly: true,
    run: () => pan(0.1),
  },
];

export function allCommands(): Command[] {
  const ofLayouts = offeredLayouts().map(
    ({ name, title }): Command => ({
      title: `Layout: ${title}`,
      group: "Panes",
      run: () => showLayout(name),
    }),
  );
  const ofTabs = views().map(
    ({ name, title }): Command => ({
      title: `New tab: ${title}`,
      group: "Panes",
      run: onPane((path) => addTab(dock.value, path, name)),
    }),
  );
  // Views may share their commands, as closer looks at calls do.
  const sources = new Set(inSight().flatMap(({ commands }) => commands ?? []));
  const ofViews = [...sources].flatMap((commands) => commands());
  return [
    ...MOVES,
    ...LEAVES.filter(({ ready }) => ready?.() ?? true),
    ...MEASURES,
    ...SELECTS,
    ...FINDS,
    ...ofViews,
    ...PANES,
    ...ofLayouts,
    ...ofTabs,
    ...NOTES,
    ...(tour.value || isTouring() ? TOUR : []),
    ...PAGE,
    ...ARROWS,
  ];
}
