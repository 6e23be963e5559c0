/** The calls of one function, by rank and duration, or the values of one counter, by rank and value. */
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

const COUNTER = "counter:";

/** The function whose calls are counted, or the counter whose values are; without any, what is highlighted, or takes most time. */
function Counted() {
  const { regions = [], metrics = [] } = trace.value ?? {};
  const [chosen, counter] = [option("function"), option("counter")];
  const names = regions.map(({ name }) => name);
  const counters = [...new Set(metrics.map(({ name }) => name))];
  const highlighted = place.value.highlight[0];
  const usual = highlighted === undefined ? "most time" : `highlighted: ${printable(highlighted, 30)}`;
  const unknown = (known: string[], name: string) => (name !== "" && !known.includes(name) ? [name] : []);
  const choices = [
    { value: "", label: usual },
    ...[...unknown(names, chosen), ...names].map((name) => ({ value: name, label: printable(name, 40) })),
    ...[...unknown(counters, counter), ...counters].map((name) => ({
      value: `${COUNTER}${name}`,
      label: `counter ${printable(name, 40)}`,
    })),
  ];
  const count = (what: string) => {
    const isCounter = what.startsWith(COUNTER) && !names.includes(what);
    setOptions(isCounter ? { counter: what.slice(COUNTER.length) } : { function: what, counter: "" });
  };
  return (
    <Select
      class="title"
      label="Function"
      title={metrics.length > 0 ? `${helpOf("function")}. ${helpOf("counter")}` : helpOf("function")}
      value={counter === "" ? chosen : `${COUNTER}${counter}`}
      choices={choices}
      onChange={count}
    />
  );
}

const isOfCounter = () => option("counter") !== "";

/** What is counted, by the name that the picture says: without a choice only the server knows it. */
function subject(pane: string): string {
  const name = drawn.value.get(pane)?.legend?.[0]?.name;
  const of = name === undefined ? "" : ` of ${printable(name, 40)}`;
  return isOfCounter() ? `values${of} by rank` : `calls${of} by rank and duration`;
}

export const histogram: View = {
  name: "histogram",
  title: "Histogram",
  source: { view: "histogram" },
  area: true,
  needs: () => [isOfCounter() ? "values" : "profile"],
  panels: { functions: [Key] },
  nothing: () =>
    isOfCounter()
      ? "None of these ranks has a value of this counter in this window."
      : "No call of this function has a part in this window.",
  Sub: ({ pane }) => <HeadParts parts={[subject(pane)]} />,
  Controls: () => (
    <>
      <Counted />
      <span class="choice">
        {isOfCounter() ? "Values:" : "Durations:"}
        <OptionSelect name="bins" label="Durations" class="title" />
      </span>
      <span class="choice">
        Colour:
        <OptionSelect
          name="shade"
          label="Colour"
          class="title"
          words={{ calls: isOfCounter() ? "values" : "calls", time: "time together" }}
        />
      </span>
    </>
  ),
};
