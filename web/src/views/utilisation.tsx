/** How much each layer of a fat-tree is used by what is shown, and by traffic that people know: drawn by the page itself, from figures. */

import { NETWORK, OF_TREE } from "./parts/network/shared";
import { Utilised, utilisedBy } from "./parts/tree/utilised";
import type { View } from "./view";

export const utilisation: View = {
  ...OF_TREE,
  name: "utilisation",
  title: "Utilisation by layer",
  about: "How much each layer of a fat-tree is used: by this traffic, by neighbours on a grid, and by all with all",
  source: { view: "fattree" },
  needs: NETWORK.needs,
  loads: [...NETWORK.loads, ...utilisedBy.map(({ told }) => told)],
  Sub: () => null,
  Body: Utilised,
};
