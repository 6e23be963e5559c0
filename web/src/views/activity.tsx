/** The stacked activity of all ranks over time: how many are in which communication, and the rest. */
import { findings, isWide } from "../state/state";
import { stageMarks } from "./parts/calls/marks";
import { FINDINGS } from "./parts/findings";
import { restName, restShare } from "./parts/shares";
import type { View } from "./view";

function Controls() {
  const share = restShare();
  // Beside calls, the picture itself has the number.
  if (share === null || isWide.value) return null;
  return (
    <span class="fact" title="Share of the window's time, over all rows">
      <b>{share.toFixed(1)} %</b> {restName()}
    </span>
  );
}

export const activity: View = {
  name: "activity",
  title: "Activity",
  source: { view: "activity" },
  layouts: [
    {
      name: "overview",
      title: "Overview",
      text: "1c(260activity,740timeline)",
      intro: ({ logical }) =>
        logical === true ? "the overview comes first. “Logical time” above shows who was late, and why." : null,
    },
  ],
  ...FINDINGS,
  nothing: "No functions to show here.",
  // Stages are named here, in the wide frame of calls: panes below are on the same axis.
  marks: (picture) => ({ stages: isWide.value ? stageMarks(picture, findings.answer.value?.stages ?? [], true) : [] }),
  Controls,
};
