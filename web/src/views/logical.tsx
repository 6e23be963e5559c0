/** Ranks over logical steps, as equal boxes coloured by a metric: the pattern of the communication, without the clock. */
import { printable } from "../base/format";
import {
  logical as analysis,
  type Command,
  chooseSteps,
  goWindow,
  option,
  place,
  rowNeeds,
  rowsAdjusted,
  setOptions,
} from "../state/state";
import { OptionToggle } from "./parts/controls";
import { RowsPanel } from "./parts/rows";
import { CausePanel } from "./parts/steps/cause";
import { colourNow, toggleColour } from "./parts/steps/colour";
import { cause, firstPhases } from "./parts/steps/data";
import { MetricPanel } from "./parts/steps/metric-panel";
import { LogicalOptionsPanel } from "./parts/steps/options";
import { PhasesPanel } from "./parts/steps/phases";
import type { View } from "./view";
import "./parts/steps/steps.css";

/** Up to so many rows can be told apart, message by message. */
export const FEW_RANKS = 64;

function Controls() {
  return (
    <>
      {cause.answer.value?.origin && <OptionToggle name="cause" label="Cause" />}
      <OptionToggle name="messages" label="Messages" />
      <OptionToggle name="aggregates" label="Aggregates" />
      <button
        type="button"
        class="plain"
        title="All steps (0 for the whole run)"
        disabled={place.value.steps === null}
        onClick={() => goWindow("steps", null, "push")}
      >
        all steps
      </button>
    </>
  );
}

function commands(): Command[] {
  const metrics = (analysis.known.value?.metrics ?? []).map(
    ({ name, title }): Command => ({
      title: `Metric: ${printable(title, 60)}`,
      group: "Panes",
      ready: () => option("metric") !== name,
      run: () => setOptions({ metric: name }),
    }),
  );
  const toggle = (title: string, name: "messages" | "aggregates"): Command => ({
    title,
    group: "Panes",
    run: () => setOptions({ [name]: !option(name) }),
  });
  return [
    ...metrics,
    toggle("Toggle message lines", "messages"),
    toggle("Toggle aggregates between steps", "aggregates"),
    { title: "Toggle colour by phase", group: "Panes", run: () => toggleColour("phase") },
    { title: "Toggle colour by kind of event", group: "Panes", run: () => toggleColour("kind") },
    {
      title: "Toggle the cause of the lateness",
      group: "Select",
      ready: () => place.value.selected !== null,
      run: () => setOptions({ cause: !option("cause") }),
    },
  ];
}

/** What all views of steps have in common. */
export const STEPS = {
  loads: [firstPhases, cause],
  panels: { functions: [PhasesPanel, MetricPanel, LogicalOptionsPanel], above: [CausePanel] },
  commands,
} satisfies Partial<View>;

export const logical: View = {
  ...STEPS,
  name: "logical",
  title: "Logical timeline",
  nothing: "No events in these steps.",
  // Functions cannot be told apart by boxes of one size.
  source: {
    view: "logical",
    adjust: () => {
      const colour = colourNow();
      return { ...rowsAdjusted(), colour: colour === "phase" || colour === "kind" ? colour : "" };
    },
  },
  needs: () => ["logical", ...rowNeeds()],
  panels: { ...STEPS.panels, functions: [RowsPanel, ...STEPS.panels.functions] },
  begin: chooseSteps,
  layouts: [
    {
      name: "logical",
      title: "Logical time",
      text: "1c(545logical,350timeline,105metric)",
      many: "1c(320logical,575clusters,105metric)",
      isFor: ({ logical }) => logical !== false,
      // Few processes are shown message by message; of many, the overview comes first.
      isFirst: ({ ranks, rows_main, logical, tasks = "0" }) =>
        tasks === "0" && logical === true && ranks > 1 && (rows_main ?? ranks) <= FEW_RANKS,
      intro: () => "logical time comes first, beside physical time. “Overview” and the other layouts are above.",
    },
  ],
  Controls,
};
