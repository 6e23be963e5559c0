/** What colours of logical time mean: which metric, against what, and where the colours end. */
import { ask } from "../../../api/client";
import { VIEWS } from "../../../api/options";
import { parseValue } from "../../../base/values";
import {
  drawn,
  logical,
  option,
  optionParams,
  ownEnds,
  place,
  questionOf,
  rowsQuestion,
  setOptions,
  stepsParams,
  stepWindow,
  traceId,
  viewKind,
} from "../../../state/state";
import { ColourKey } from "../colour-key";
import { helpOf, LinkButton, OptionSelect, ResetLink, Select } from "../controls";
import { DraftField } from "../draft";
import { Panel } from "../panel";
import { colourNow, toggleColour } from "./colour";
import { metricNow, valueWords } from "./metric-words";

/** The slider is finer towards nothing, where most values are. */
const NOTCHES = 1000;
const BEND = 3;

function Choice() {
  const metrics = logical.known.value?.metrics ?? [metricNow()];
  return (
    <div class="choices">
      <Select
        class="boxed"
        label="Metric"
        value={option("metric")}
        choices={metrics.map(({ name, title }) => ({ value: name, label: title }))}
        onChange={(metric) => setOptions({ metric })}
      />
      <Select
        class="boxed"
        label="Relative to"
        title="The value itself, or its share of the largest in its step"
        value={option("relative") ? "step" : "run"}
        choices={[
          { value: "run", label: "absolute" },
          { value: "step", label: "relative to step" },
        ]}
        onChange={(to) => setOptions({ relative: to === "step" })}
      />
    </div>
  );
}

/** The colours with the values at their ends, as the pane says that can be told from the others by its rows. */
function Key() {
  // Colours of other views may mean something else.
  const isOurs = (view: string) => VIEWS[viewKind(view)?.source.view ?? view]?.options.includes("metric") ?? false;
  const panes = [...drawn.value.values()].filter(({ view, bar }) => bar && isOurs(view));
  const { bar } = panes.find(({ hasRows }) => hasRows) ?? {};
  const { unit } = metricNow();
  const [low, high] = option("range") ?? [0, ownEnds().value];
  const ends = bar?.ends ?? [valueWords(low, unit), valueWords(high, unit)];
  return (
    <div data-testid="metric-key" data-metric={option("metric")}>
      <ColourKey ends={ends} bar={bar} />
    </div>
  );
}

/** Where the colours end: by a slider, or by a number. */
function Upper() {
  const range = option("range");
  const most = Math.max(ownEnds().value, range?.[1] ?? 0);
  const { unit } = metricNow();
  if (!(most > 0)) return null;
  const [low, top] = [range?.[0] ?? 0, range?.[1] ?? most];
  const set = (value: number, how: "push" | "live") => {
    const isAll = value >= most && low <= 0;
    // Three digits are as fine as a slider is; times are whole nanoseconds.
    const exact = Math.max(Number(value.toPrecision(3)), low + most / 1e6);
    setOptions({ range: isAll ? null : [low, unit === "ns" ? Math.ceil(exact) : exact] }, how);
  };
  return (
    <DraftField
      label="Upper end, as a number"
      problemId="upper-problem"
      fieldClass="upper"
      class="value"
      before={
        <input
          type="range"
          aria-label="Upper end of the colours"
          title="Larger values get the last colour"
          min={1}
          max={NOTCHES}
          value={Math.round((Math.max(top, 0) / most) ** (1 / BEND) * NOTCHES)}
          aria-valuetext={valueWords(top, unit)}
          onInput={(event) => set(most * (Number(event.currentTarget.value) / NOTCHES) ** BEND, "live")}
        />
      }
      applied={valueWords(top, unit)}
      apply={(text) => {
        const value = parseValue(text, unit);
        if (value === null || value <= low) return `Write a value such as ${valueWords(most / 2, unit)}`;
        set(Math.min(value, most), "push");
        return null;
      }}
    ></DraftField>
  );
}

/** Ends the colours at the largest value in sight. */
async function fitToWindow(): Promise<void> {
  const params = {
    ...Object.fromEntries(stepsParams()),
    ...Object.fromEntries(optionParams(["metric", "aggregates"])),
  };
  const { rows } = place.value;
  const window = { steps: stepWindow.value.join(":"), ...(rows && { rows: rows.join(":") }) };
  const { largest } = await ask(traceId.value, "largest", questionOf({ ...params, ...rowsQuestion(), ...window }));
  if (largest !== null && largest > 0) setOptions({ range: [0, largest], relative: false });
}

/** What the scale is fitted to; and what it does not reach, where it came from another trace. */
function Fit() {
  const { value } = ownEnds();
  const top = option("range")?.[1] ?? value;
  const { unit } = metricNow();
  return (
    <p class="foot leads" data-testid="fit">
      <LinkButton
        title="End the colours at the largest value in sight"
        onClick={() => void fitToWindow().catch(() => {})}
      >
        fit to window
      </LinkButton>
      <ResetLink names={["range", "sums"]} title="End colours and overview at the largest values of this run">
        fit to run
      </ResetLink>
      {value > top * 1.005 && <span class="quiet">largest here {valueWords(value, unit)}</span>}
    </p>
  );
}

/** What colours stand for, one by one. */
function Kinds() {
  const shown = [...drawn.value.values()].find(({ view, legend }) => view === "logical" && legend?.length);
  return (
    <ul class="kinds" data-testid="kind-key">
      {(shown?.legend ?? []).map(({ colour, name }) => (
        <li key={name} class="row">
          <span class="sw" style={{ background: colour }} />
          <span class="label">{name}</span>
        </li>
      ))}
    </ul>
  );
}

export function MetricPanel() {
  if (logical.known.value === null) return null;
  const by = colourNow();
  if (by === "phase" || by === "kind") {
    return (
      <Panel title={by === "kind" ? "Kinds of events" : "Metric"} testid="metric-panel">
        {by === "kind" && <Kinds />}
        <p class="quiet">
          {by === "phase" && "Colours tell phases apart. "}
          <LinkButton onClick={() => setOptions({ colour: "" })}>
            Colour by {metricNow().title.toLowerCase()}
          </LinkButton>
        </p>
      </Panel>
    );
  }
  return (
    <Panel
      title="Metric"
      testid="metric-panel"
      beside={<OptionSelect class="title sort" name="palette" label="Palette" />}
    >
      <Choice />
      <Key />
      {!option("relative") && <Upper />}
      <Fit />
      <p class="foot">
        <LinkButton title={helpOf("colour")} onClick={() => toggleColour("kind")}>
          colour by kind of event
        </LinkButton>
      </p>
    </Panel>
  );
}
