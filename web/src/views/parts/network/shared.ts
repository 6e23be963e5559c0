/** What all flat views of a network have in common: panels, answers, and what they rest on. */
import type { OptionName } from "../../../api/options";
import type { MachineKind } from "../../../api/types";
import type { View } from "../../view";
import { keptOptions, links, machineKind, noSuchMachine, runStages } from "./data";
import { LayersPanel } from "./layers";
import { LoadLegend } from "./legend";
import { PlacementPanel } from "./placement";
import { PlanesPanel } from "./planes";
import { ByClass, LinksSay, TopLinks } from "./said";
import { LoadFromPanel, SectionsPanel } from "./sources";
import { TopologyPanel } from "./topology";
import { RoutingPanel, TrafficPanel } from "./traffic";
import "./network.css";

/** The page lets messages move by itself: pictures are asked for without them, figures with them. */
export const MOTION_OPTIONS = ["motion", "at", "activity", "colour-messages"] as const satisfies readonly OptionName[];

export const NETWORK = {
  loads: [links, runStages],
  needs: () => ["network"],
  keeps: keptOptions,
  selectsRanks: true,
  panels: {
    first: [
      TopologyPanel,
      TrafficPanel,
      RoutingPanel,
      LayersPanel,
      LoadFromPanel,
      LoadLegend,
      SectionsPanel,
      PlacementPanel,
      PlanesPanel,
    ],
    above: [LinksSay],
    below: [TopLinks, ByClass],
  },
} satisfies Partial<View>;

/** What there is only of one kind of machine: it is offered there, and says so elsewhere. */
function only(kind: MachineKind) {
  return { isFor: () => machineKind.value === kind, nothing: () => noSuchMachine(kind) } satisfies Partial<View>;
}

export const OF_TORUS = only("torus");
export const OF_TREE = only("fat-tree");
export const OF_DRAGONFLY = only("dragonfly");
