/** How far the nodes of a program have come: a line each, points of groups, lower bounds. */
import { printable } from "../base/format";
import { option } from "../state/state";
import { OptionSelect, OptionToggle } from "./parts/controls";
import { HeadParts } from "./parts/head";
import { shownInstant, workNow } from "./parts/progress/data";
import { LinesKey } from "./parts/progress/keys";
import { PROGRESS_LAYOUT } from "./parts/progress/layout";
import { PROGRESS } from "./parts/progress/shared";
import type { View } from "./view";

function Sub() {
  const work = workNow();
  const what = work === "tasks" ? "work" : printable(work, 40);
  return <HeadParts parts={[`share of its own ${what} that each node has done`]} />;
}

function Controls() {
  const shown = shownInstant();
  const now = shown === null ? "the shown step" : `step ${shown.number}`;
  return (
    <>
      <span class="choice">
        <OptionSelect
          class="title"
          name="group-colour"
          label="Colour of groups"
          words={{
            shown: `Colour: groups of ${now}`,
            speed: "Colour: slowest to fastest",
            kept: "Colour: kept by a group",
          }}
        />
      </span>
      <OptionToggle name="labels" label="Labels" />
    </>
  );
}

export const progress: View = {
  ...PROGRESS,
  name: "progress",
  title: "Progression",
  source: { view: "progress" },
  nothing: () => (option("work") === "" ? "There is no work to count." : "There is no such work to count."),
  layouts: [PROGRESS_LAYOUT],
  Sub,
  Controls,
  Key: LinesKey,
};
