/** What stands out in the window, in words beside the picture, for views of the whole program over time. */
import { diagnosisTold, findings } from "../../state/state";
import type { View } from "../view";
import { FindingsPanel } from "./calls/findings";
import "./calls/calls.css";

export const FINDINGS = {
  loads: [findings, diagnosisTold],
  wishes: ["diagnosis"],
  panels: { above: [FindingsPanel] },
} satisfies Partial<View>;
