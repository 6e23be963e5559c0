/** A small map for each way to look at a torus; a click on one shows it. */
import { HeadParts } from "./parts/head";
import { NETWORK, OF_TORUS } from "./parts/network/shared";
import { AnalysisNotice } from "./parts/notice";
import type { View } from "./view";

export const minimaps: View = {
  ...NETWORK,
  name: "minimaps",
  title: "Mini-maps",
  source: { view: "minimaps" },
  ...OF_TORUS,
  // The plane beside it has said the rest.
  Over: () => <AnalysisNotice name="network" brief />,
  Sub: () => <HeadParts parts={["means of bundles"]} />,
};
