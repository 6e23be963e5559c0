/** The metric of all ranks, summed per step, over the whole run: where it is worth looking, and the brush to go there. */
import { formatCount, plural, stepsText } from "../base/format";
import { Brush } from "../pane/window-brush";
import { allSteps, goWindow, logical, place, wholeOf, wholeRun, windowOf } from "../state/state";
import { STEPS } from "./logical";
import { AnalysisNotice } from "./parts/notice";
import { metricTitle } from "./parts/steps/metric-words";
import type { View } from "./view";

function Sub() {
  return <>{metricTitle()}, summed per step</>;
}

function Controls() {
  const known = logical.known.value;
  return (
    known && (
      <span class="count">
        {formatCount(known.steps)} {plural(known.steps, "step")}
      </span>
    )
  );
}

function Over(props: { pane: string }) {
  if (logical.ready.value === null || allSteps.value === null) return <AnalysisNotice name="logical" brief />;
  return (
    <Brush
      pane={props.pane}
      testid="step-brush"
      window={windowOf("steps")}
      whole={wholeOf("steps")}
      everything={place.value.steps === null}
      label="Step window"
      ends="Step window"
      words={(window) => `steps ${stepsText(window)}`}
      momentWords={(step) => `step ${formatCount(Math.floor(step))}`}
      onGo={(steps, how) => (steps === null ? wholeRun() : goWindow("steps", steps, how))}
    />
  );
}

export const metric: View = {
  ...STEPS,
  name: "metric",
  title: "Metric overview",
  nothing: "The metric is 0 at every step.",
  source: { view: "metric", adjust: () => ({ colour: "" }), whole: true },
  Sub,
  Controls,
  Over,
  height: 112,
};
