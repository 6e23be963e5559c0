/** What all flat views of a network have in common: panels, answers, and what they rest on. */
import type { View } from "../../view";
import { keptOptions, links, runStages } from "./data";
import { LoadLegend } from "./legend";
import { PlacementPanel } from "./placement";
import { PlanesPanel } from "./planes";
import { ByDimension, LinksSay, TopLinks } from "./said";
import { LoadFromPanel, SectionsPanel } from "./sources";
import "./network.css";

export const NETWORK = {
  loads: [links, runStages],
  needs: () => ["network"],
  keeps: keptOptions,
  selectsRanks: true,
  panels: {
    first: [LoadFromPanel, LoadLegend, SectionsPanel, PlacementPanel, PlanesPanel],
    above: [LinksSay],
    below: [TopLinks, ByDimension],
  },
} satisfies Partial<View>;
