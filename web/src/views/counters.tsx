/** Counters of the trace over time: a lane for each, with the least, mean and largest value of every pixel column. */
import { trace } from "../state/state";
import { OptionToggle } from "./parts/controls";
import { Metrics } from "./parts/counters";
import type { View } from "./view";

export const counters: View = {
  name: "counters",
  title: "Counters",
  source: { view: "counters" },
  layouts: [
    {
      name: "counters",
      title: "Counters",
      text: "1c(640counters,360timeline)",
      isFor: ({ metrics }) => metrics.length > 0,
    },
  ],
  isFor: () => (trace.value?.metrics ?? []).length > 0,
  filters: ["metrics"],
  panels: { functions: [Metrics] },
  nothing: "No counters to show here.",
  Controls: () => <OptionToggle name="rates" label="per second" />,
};
