/** What the mouse does in the panes that are in sight, for help and hints: only what works there is offered. */
import { specOf } from "../state/state";
import { inSight } from "../views/registry";

/** Whether rectangles can be brushed somewhere. */
export function canBrush(): boolean {
  return inSight().some(({ brush }) => brush !== undefined);
}

/** Gestures, and what each does. */
export function mouseHelp(): [gesture: string, does: string][] {
  const hasRows = inSight().some((view) => specOf(view).y === "rows");
  return [
    ["Wheel", "zoom at the pointer"],
    ...(hasRows ? ([["Alt-wheel", "zoom rows"]] as [string, string][]) : []),
    ["Drag", "pan"],
    ["Shift-drag", "zoom to a range"],
    ...(canBrush() ? ([["Alt-drag", "brush a rectangle of calls"]] as [string, string][]) : []),
    ["Double-click", "show the whole run"],
    ["Click", "select"],
    ["On the strip", "drag the time window"],
  ];
}
