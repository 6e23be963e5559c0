/** The layout of the network: other panes for each kind of machine. */
import type { Layout } from "../../../state/state";
import { middlePod } from "../tree/pods";
import { aboutMachine, machineKind } from "./data";

/** Nodes that can be told apart in a pane of layers, and in one of blocks. */
const FEW = 64;
const SOME = 256;

/** All switches at once; beside them blocks, and the layers of a small part. */
function ofTree(): string {
  const about = aboutMachine.value ?? { nodes: 0, pods: [] };
  const pane = (as: string, most: number) => {
    const within = middlePod(most, about);
    return `fattree(as=${as}${within === "" ? "" : `~within=${within}`})`;
  };
  return `1r(565c(810fattree(as=ht),190utilisation),435c(470${pane("lb", SOME)},530${pane("qs", FEW)}))`;
}

export const NETWORK_LAYOUT: Layout = {
  name: "network",
  title: "Network",
  text: "1c(800r(125minimaps,545torus,330torus3d),200mappings)",
  timeless: "1r(125minimaps,545torus,330torus3d)",
  now: () => {
    switch (machineKind.value) {
      case "torus":
        return null;
      case "fat-tree":
        return ofTree();
      case "dragonfly":
        return "1r(560dragonfly,440dragonfly(groups-as=ring))";
    }
  },
  isFor: ({ ranks, messages, collectives, network }) =>
    network !== undefined || (ranks > 1 && (messages !== "0" || collectives !== "0")),
  // Counters of a machine alone have nothing else to show.
  isFirst: ({ spans, network }) => spans === "0" && network !== undefined,
};
