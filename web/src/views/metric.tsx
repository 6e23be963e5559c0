/** The metric of all ranks, summed a step, over the whole run: where it is worth looking, and the brush to go there. */
import { formatCount, stepsText } from "../base/format";
import { Brush } from "../pane/window-brush";
import { allSteps, goLogical, logicalKnown, logicalReady, place, stepWindow, wholeRun } from "../state/state";
import { LogicalNotice } from "./logical-notice";
import { metricTitle } from "./metric-words";
import type { View } from "./view";

function Sub() {
  return <>{metricTitle()}, summed a step</>;
}

function Controls() {
  const known = logicalKnown.value;
  return known && <span class="count">{formatCount(known.steps)} steps</span>;
}

function Over(props: { pane: string }) {
  const total = allSteps.value;
  if (logicalReady.value === null || total === null) return <LogicalNotice pane={props.pane} brief />;
  return (
    <Brush
      pane={props.pane}
      testid="step-brush"
      window={stepWindow.value}
      whole={[0, Math.max(total, 1)]}
      everything={place.value.logical.steps === null}
      label="Step window"
      ends="Step window"
      words={(window) => `steps ${stepsText(window)}`}
      momentWords={(step) => `step ${formatCount(Math.floor(step))}`}
      onGo={(steps, how) => (steps === null ? wholeRun() : goLogical({ steps }, how))}
    />
  );
}

export const metric: View = {
  name: "metric",
  title: "Metric overview",
  about: "The metric of all ranks, summed a step, over the whole run.",
  y: "value",
  source: { view: "metric", steps: true, whole: true },
  Sub,
  Controls,
  Over,
  height: 112,
};
