/** The density by which the nodes of a step are grouped, with its cuts; or those of the first steps, small. */
import { option } from "../state/state";
import { HeadParts } from "./parts/head";
import { instantWords, shownInstant } from "./parts/progress/data";
import { BandwidthKey } from "./parts/progress/keys";
import { PROGRESS } from "./parts/progress/shared";
import type { View } from "./view";

function Sub() {
  const [shown, first] = [shownInstant(), option("densities")];
  const parts =
    first > 0 ? [`first ${first} steps`] : shown ? [`step ${shown.number}`, instantWords(shown.number)] : [];
  return (
    <span class="brief">
      <HeadParts parts={parts} />
    </span>
  );
}

export const density: View = {
  ...PROGRESS,
  name: "density",
  title: "Density",
  source: { view: "density" },
  Sub,
  Key: BandwidthKey,
};
