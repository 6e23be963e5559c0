/** A torus of more than three dimensions, slice by slice; a click on one shows it. */
import { HeadParts } from "./parts/head";
import { NETWORK, OF_TORUS } from "./parts/network/shared";
import type { View } from "./view";

export const slices: View = {
  ...NETWORK,
  name: "slices",
  title: "Slices",
  source: { view: "slices" },
  ...OF_TORUS,
  Sub: () => <HeadParts parts={["one small map each"]} />,
};
