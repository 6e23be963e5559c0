/** Which node has which tile of the matrix that tasks work on. */
import { PROGRESS } from "./parts/progress/shared";
import type { View } from "./view";

export const distribution: View = {
  ...PROGRESS,
  name: "distribution",
  title: "Distribution",
  source: { view: "distribution" },
  nothing: "The trace does not say which tiles tasks work on.",
  Sub: () => null,
};
