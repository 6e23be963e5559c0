/** What the mouse does in the panes that are in sight, for help and hints: only what works there is offered. */
import { specOf } from "../state/state";
import { inSight } from "../views/registry";

/** Whether rectangles can be brushed somewhere. */
export function canBrush(): boolean {
  return inSight().some(({ brush, area }) => brush !== undefined || area === true);
}

/** Whether time can be measured somewhere. */
export function canMeasure(): boolean {
  return inSight().some((view) => specOf(view).x === "time");
}

/** Gestures, and what each does. */
export function mouseHelp(): [gesture: string, does: string][] {
  const hasRows = inSight().some((view) => specOf(view).y === "rows");
  const inSpace: [string, string][] = [
    ["Drag in space", "turn; pan what lies flat"],
    ["Right drag in space", "move"],
    ["Shift-drag in space", "select what lies in a rectangle"],
    ["Double-click in space", "all of it"],
  ];
  return [
    ["Wheel", "zoom at the pointer"],
    ...(hasRows ? ([["Alt-wheel", "zoom rows"]] as [string, string][]) : []),
    ["Drag", "pan"],
    ["Shift-drag", "zoom to a range"],
    ...(canMeasure() ? ([["Ctrl-drag", "measure time"]] as [string, string][]) : []),
    ...(canBrush()
      ? ([["Alt-drag", "brush a rectangle of calls, of the timeline, the matrix or the histogram"]] as [
          string,
          string,
        ][])
      : []),
    ["Double-click", "show the whole run"],
    ["Click", "select"],
    ...(inSight().some(({ inSpace }) => inSpace === true) ? inSpace : []),
    ["On the strip", "drag the time window"],
  ];
}

/** What keys and mouse do in pictures in space. */
export function spaceHelp(): [gesture: string, does: string][] {
  if (!inSight().some(({ inSpace }) => inSpace)) return [];
  return [
    ["Drag, arrows", "turn"],
    ["Right drag", "move"],
    ["Wheel, + −", "closer and farther"],
    ["Shift-drag", "select what is in a rectangle"],
    ["F", "fly, and stop flying (Esc)"],
    ["W A S D, arrows", "flying: ahead, left, back, right"],
    ["Q E, PgDn PgUp", "flying: down and up"],
    ["Shift", "flying: faster"],
    ["Drag", "flying: look around"],
  ];
}
