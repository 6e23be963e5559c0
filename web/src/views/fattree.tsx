/**
 * A fat-tree, in one of seven representations or several: what each pane shows is its own, so that panes side by side show the
 * same machine in different ways.
 */
import { option, type Source } from "../state/state";
import { Player } from "./parts/network/player";
import { MOTION_OPTIONS, NETWORK, OF_TREE } from "./parts/network/shared";
import { commands, findsSwitch, opensBlock, TreeControls } from "./parts/tree/controls";
import { DrawnPanel } from "./parts/tree/drawn";
import { REPRESENTATIONS, representationOf } from "./parts/tree/representations";
import type { View } from "./view";

const CAMERA = ["turn", "zoom", "aim"] as const;

const source: Source = {
  view: "fattree",
  // The camera is the page's own, and so is motion: turning asks for nothing.
  own: [...CAMERA, ...MOTION_OPTIONS],
  perPane: ["as", "within", "split", "grouping", "wires", "nics", "height-by", "size-by", "shape-by", ...CAMERA],
};

export const fattree: View = {
  ...NETWORK,
  ...OF_TREE,
  name: "fattree",
  title: "Fat-tree",
  titleIn: (pane) => REPRESENTATIONS.find(({ name }) => name === representationOf(pane))?.title ?? "Side by side",
  source,
  needs: () => (option("nodes") === "cluster" ? ["network", "clusters"] : ["network"]),
  inSpace: true,
  moves: true,
  chooses: true,
  panels: { ...NETWORK.panels, first: [...NETWORK.panels.first, DrawnPanel] },
  commands,
  opens: opensBlock,
  findable: "switches",
  finds: findsSwitch,
  // The controls say the part of the machine.
  Sub: () => null,
  Controls: TreeControls,
  Bar: Player,
};
