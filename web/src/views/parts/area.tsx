/** Areas of the timeline, ranks during a stretch of time, for views that show rows of calls over time. */
import { formatSelection } from "../../api/selection";
import { type Command, go, place, timeWindow } from "../../state/state";
import type { View } from "../view";
import { BrushPanel } from "./calls/brushed";
import { brushed } from "./calls/data";
import "./calls/calls.css";

function commands(): Command[] {
  const all = () => formatSelection({ kind: "area", time: timeWindow.value, ranks: place.value.ranks || "0-" });
  return [{ title: "Statistics of all in view", group: "Select", run: () => go({ selected: all() }, "push") }];
}

export const AREA = {
  area: true,
  loads: [brushed],
  panels: { below: [BrushPanel] },
  commands,
} satisfies Partial<View>;
