/** The calls of one function, by rank and duration. */
import { printable } from "../base/format";
import { drawn, option, place, setOptions, trace } from "../state/state";
import { ColourKey } from "./parts/colour-key";
import { helpOf, OptionSelect, Select } from "./parts/controls";
import { HeadParts } from "./parts/head";
import { Panel } from "./parts/panel";
import type { View } from "./view";

/** What the colours mean, as the pane last said. */
function Key() {
  const bar = [...drawn.value.values()].find(({ view }) => view === histogram.name)?.bar;
  if (!bar) return null;
  return (
    <Panel title={bar.title} label="Colours of the histogram" testid="histogram-key">
      <ColourKey ends={bar.ends} bar={bar} />
    </Panel>
  );
}

/** The function whose calls are counted; without one, what is highlighted, or takes most time. */
function Functions() {
  const regions = trace.value?.regions ?? [];
  const chosen = option("function");
  const names = regions.map(({ name }) => name);
  const highlighted = place.value.highlight[0];
  const usual = highlighted === undefined ? "most time" : `highlighted: ${printable(highlighted, 30)}`;
  const choices = [
    { value: "", label: usual },
    ...(chosen !== "" && !names.includes(chosen) ? [{ value: chosen, label: printable(chosen, 40) }] : []),
    ...names.map((name) => ({ value: name, label: printable(name, 40) })),
  ];
  return (
    <Select
      class="title"
      label="Function"
      title={helpOf("function")}
      value={chosen}
      choices={choices}
      onChange={(name) => setOptions({ function: name })}
    />
  );
}

export const histogram: View = {
  name: "histogram",
  title: "Histogram",
  source: { view: "histogram" },
  area: true,
  panels: { functions: [Key] },
  nothing: "No call of this function has a part in this window.",
  Sub: () => <HeadParts parts={["calls by rank and duration"]} />,
  Controls: () => (
    <>
      <Functions />
      <span class="choice">
        Durations:
        <OptionSelect name="bins" label="Durations" class="title" />
      </span>
      <span class="choice">
        Colour:
        <OptionSelect name="shade" label="Colour" class="title" words={{ calls: "calls", time: "time together" }} />
      </span>
    </>
  ),
};
