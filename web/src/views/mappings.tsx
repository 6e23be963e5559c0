/** Mappings of ranks side by side, under one colour scale; a click on one shows it. */
import { option } from "../state/state";
import { HeadParts } from "./parts/head";
import { NETWORK, OF_TORUS } from "./parts/network/shared";
import { AnalysisNotice } from "./parts/notice";
import type { View } from "./view";

export const mappings: View = {
  ...NETWORK,
  name: "mappings",
  title: "Compare mappings",
  source: { view: "mappings" },
  ...OF_TORUS,
  // The plane beside it has said the rest.
  Over: () => <AnalysisNotice name="network" brief />,
  Sub: () => (
    <HeadParts parts={["one colour scale", option("routing") === "asp" ? "all shortest paths" : option("routing")]} />
  ),
};
