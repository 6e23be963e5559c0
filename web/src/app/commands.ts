/** All commands of the page. Keys, palette and help are made of this one list. */
import { printable } from "../base/format";
import type { Command } from "../panels/commands";
import { clear, fitSelection, pan, STEPS, step, zoom } from "../panels/moves";
import { dialog, focusSearch, say, showWarnings } from "../panels/ui";
import {
  brushTool,
  canRedo,
  canUndo,
  closeTour,
  go,
  goCalls,
  goLogical,
  hasSteps,
  LONGEST,
  logicalKnown,
  moveStop,
  openTour,
  place,
  redo,
  STYLES,
  shareUrl,
  showsCalls,
  stopIndex,
  timeWindow,
  toggleTheme,
  tour,
  trace,
  undo,
  wholeRun,
} from "../state/state";
import { STYLE_WORDS } from "../views/calls";
import { views } from "../views/registry";
import { currentPane, dock, layouts, setDock } from "./dock-state";
import { addTab, closeTab, panes, split, toggleMaximised } from "./dock-tree";
import { saveFigure } from "./figure";

export async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(shareUrl());
    say("Link copied. It opens this picture; it does not carry the token.");
  } catch {
    say("The browser does not let pages copy; the address bar has the same link.");
  }
}

/** Works on the pane that was last used. */
function onPane(change: (path: number[], view: string, front: number) => ReturnType<typeof split>): () => void {
  return () => {
    const pane = currentPane();
    if (pane) setDock(change(pane.path, pane.view, pane.node.front));
  };
}

const selected = () => place.value.selected !== null;

const MOVES: Command[] = [
  { title: "Zoom in", group: "Move", press: { key: "w" }, run: () => zoom(1 / 1.25) },
  { title: "Zoom out", group: "Move", press: { key: "s" }, run: () => zoom(1.25) },
  { title: "Move left", group: "Move", press: { key: "a" }, run: () => pan(-0.1) },
  { title: "Move right", group: "Move", press: { key: "d" }, run: () => pan(0.1) },
  { title: "Whole run", group: "Move", press: { key: "0" }, run: () => wholeRun() },
  { title: "Fit the selection", group: "Move", press: { key: "f" }, run: fitSelection },
  { title: "Undo", group: "Move", press: { key: "z", mod: true }, run: undo, ready: () => canUndo.value },
  { title: "Redo", group: "Move", press: { key: "z", mod: true, shift: true }, run: redo, ready: () => canRedo.value },
];

const WORDS = {
  previous: "Previous span",
  next: "Next span",
  parent: "Caller",
  child: "Callee",
  partner: "Along the message to its partner",
};

const SELECTS: Command[] = [
  ...STEPS.map(
    ({ step: which, key }): Command => ({
      title: WORDS[which],
      group: "Select",
      press: { key },
      ready: selected,
      run: () => {
        if (!step(which)) say(`No ${WORDS[which].toLowerCase()} from here.`);
      },
    }),
  ),
  { title: "Clear the selection, the rectangle, the highlight", group: "Select", press: { key: "Escape" }, run: clear },
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
    title: "Brush all calls in sight",
    group: "Select",
    ready: () => showsCalls.value,
    run: () => goCalls({ brush: { time: timeWindow.value, values: [0, LONGEST] } }, "push"),
  },
  {
    title: "Show calls of any duration and communicator",
    group: "Find",
    ready: () => place.value.calls.durations !== null || place.value.calls.communicator !== null,
    run: () => goCalls({ durations: null, communicator: null }, "push"),
  },
  {
    title: "Show hidden functions",
    group: "Find",
    ready: () => place.value.hidden.length > 0,
    run: () => go({ hidden: [] }, "push"),
  },
  {
    title: "Show the warnings",
    group: "Find",
    ready: () => (trace.value?.warnings.length ?? 0) > 0,
    run: showWarnings,
  },
];

const severalPanes = () => panes(dock.value).length > 1 || (currentPane()?.node.views.length ?? 1) > 1;

const PANES: Command[] = [
  { title: "Split the pane right", group: "Panes", run: onPane((path, view) => split(dock.value, path, "row", view)) },
  {
    title: "Split the pane down",
    group: "Panes",
    run: onPane((path, view) => split(dock.value, path, "column", view)),
  },
  {
    title: "Maximise or restore the pane",
    group: "Panes",
    press: { key: "x" },
    run: onPane((path) => toggleMaximised(dock.value, path)),
  },
  {
    title: "Close the pane",
    group: "Panes",
    ready: severalPanes,
    run: onPane((path, _, front) => closeTab(dock.value, path, front)),
  },
];

const PAGE: Command[] = [
  { title: "Light or dark", group: "Page", press: { key: "t" }, run: toggleTheme },
  { title: "All keys", group: "Page", press: { key: "?" }, run: () => (dialog.value = "help") },
  { title: "Copy a link to this picture", group: "Page", run: copyLink },
  { title: "Figure as PNG", group: "Page", run: () => saveFigure("png") },
  { title: "Figure as SVG", group: "Page", run: () => saveFigure("svg") },
  { title: "Figure as PDF", group: "Page", run: () => saveFigure("pdf") },
];

const isTouring = () => stopIndex.value !== null;

const TOUR: Command[] = [
  { title: "Next stop of the tour", group: "Page", press: { key: "n" }, ready: isTouring, run: () => moveStop(1) },
  { title: "Previous stop of the tour", group: "Page", press: { key: "p" }, ready: isTouring, run: () => moveStop(-1) },
  { title: "Open the tour", group: "Page", ready: () => !isTouring(), run: openTour },
  { title: "Close the tour", group: "Page", ready: isTouring, run: closeTour },
];

/** Without a selection, left and right arrows move the window. They come second, so a selection has them first. */
const ARROWS: Command[] = [
  {
    title: "Move left, with nothing selected",
    group: "Move",
    press: { key: "ArrowLeft" },
    keyOnly: true,
    run: () => pan(-0.1),
  },
  {
    title: "Move right, with nothing selected",
    group: "Move",
    press: { key: "ArrowRight" },
    keyOnly: true,
    run: () => pan(0.1),
  },
];

const CALLS: Command[] = [
  ...[...STYLES].reverse().map(
    (style): Command => ({
      title: `Calls as ${STYLE_WORDS[style].toLowerCase()}`,
      group: "Panes",
      ready: () => showsCalls.value && place.value.calls.style !== style,
      run: () => goCalls({ style }, "push"),
    }),
  ),
  {
    title: "Brush by any drag, or no longer",
    group: "Select",
    ready: () => showsCalls.value,
    run: () => {
      brushTool.value = !brushTool.value;
    },
  },
];

const LOGICAL: Command[] = [
  {
    title: "Messages between steps, or no longer",
    group: "Panes",
    ready: () => hasSteps.value,
    run: () => goLogical({ messages: !place.value.logical.messages }, "push"),
  },
  {
    title: "Aggregates between steps, or no longer",
    group: "Panes",
    ready: () => hasSteps.value,
    run: () => goLogical({ aggregates: !place.value.logical.aggregates }, "push"),
  },
  {
    title: "Colour by phase, or no longer",
    group: "Panes",
    ready: () => hasSteps.value,
    run: () => goLogical({ colour: place.value.logical.colour === "phase" ? null : "phase" }, "push"),
  },
  {
    title: "The path of the lateness, or no longer",
    group: "Select",
    ready: () => hasSteps.value && selected(),
    run: () => goLogical({ path: !place.value.logical.path }, "push"),
  },
];

export function allCommands(): Command[] {
  const chosen: Command[] = [
    ...layouts().map(
      ({ name, title }): Command => ({
        title: `Layout: ${title}`,
        group: "Panes",
        run: () => go({ layout: name }, "push"),
      }),
    ),
    ...(hasSteps.value ? (logicalKnown.value?.metrics ?? []) : []).map(
      ({ name, title }): Command => ({
        title: `Metric: ${printable(title, 60)}`,
        group: "Panes",
        ready: () => place.value.logical.metric !== name,
        run: () => goLogical({ metric: name }, "push"),
      }),
    ),
    ...views().map(
      ({ name, title }): Command => ({
        title: `New tab: ${title}`,
        group: "Panes",
        run: onPane((path) => addTab(dock.value, path, name)),
      }),
    ),
  ];
  return [
    ...MOVES,
    ...SELECTS,
    ...FINDS,
    ...CALLS,
    ...LOGICAL,
    ...PANES,
    ...chosen,
    ...(tour.value ? TOUR : []),
    ...PAGE,
    ...ARROWS,
  ];
}
