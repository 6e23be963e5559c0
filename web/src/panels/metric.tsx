/** What colours of logical time mean: which metric, against what, and where the colours end. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { parseValue } from "../base/values";
import { drawn, goLogical, hasSteps, logicalKnown, PALETTES, place, timelineColour } from "../state/state";
import { metricNow, valueWords } from "../views/metric-words";

/** The slider is finer towards nothing, where most values are. */
const NOTCHES = 1000;
const BEND = 3;

/** Where the colours end unless somebody says otherwise. */
function largest(): number {
  const { metric, aggregates } = place.value.logical;
  const known = logicalKnown.value;
  return Number((aggregates ? known?.largest : known?.largest_of_events)?.[metric] ?? 0);
}

function Choice() {
  const { metric, relative } = place.value.logical;
  const metrics = logicalKnown.value?.metrics ?? [metricNow()];
  return (
    <div class="choices">
      <select
        class="boxed"
        aria-label="Metric"
        value={metric}
        onChange={(event) => goLogical({ metric: event.currentTarget.value }, "push")}
      >
        {metrics.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      <select
        class="boxed"
        aria-label="Relative to"
        title="The value within its step, or its share of the largest of its step"
        value={relative ? "step" : "run"}
        onChange={(event) => goLogical({ relative: event.currentTarget.value === "step" }, "push")}
      >
        <option value="run">of the step</option>
        <option value="step">relative</option>
      </select>
    </div>
  );
}

/** The colours with the values at their ends. */
function Key() {
  const { metric, range } = place.value.logical;
  const bar = [...drawn.value.values()].find((pane) => pane.bar !== undefined && pane.view !== "metric")?.bar;
  const { unit } = metricNow();
  const [low, high] = range ?? [0, largest()];
  const ends = bar?.ends ?? [valueWords(low, unit), valueWords(high, unit)];
  return (
    <div data-testid="metric-key" data-metric={metric}>
      <div
        class="key-bar"
        role="img"
        aria-label={`From ${ends[0]} to ${ends[1]}`}
        style={bar && { background: `linear-gradient(90deg, ${bar.colours.join(", ")})` }}
      />
      <p class="ends">
        <span>{ends[0]}</span>
        <span>{ends[1]}</span>
      </p>
    </div>
  );
}

/** Where the colours end: by a slider, or by a number. */
function Upper() {
  const { range } = place.value.logical;
  const most = largest();
  const { unit } = metricNow();
  const top = range?.[1] ?? most;
  const applied = valueWords(top, unit);
  const text = useSignal(applied);
  const problem = useSignal<string | null>(null);
  useEffect(() => {
    text.value = applied;
    problem.value = null;
  }, [applied, text, problem]);
  if (!(most > 0)) return null;
  const low = range?.[0] ?? 0;
  const set = (value: number, how: "push" | "live") => {
    const isAll = value >= most && low <= 0;
    // Three digits are as fine as a slider is; times are whole nanoseconds.
    const exact = Math.max(Number(value.toPrecision(3)), low + most / 1e6);
    goLogical({ range: isAll ? null : [low, unit === "ns" ? Math.ceil(exact) : exact] }, how);
  };
  const apply = () => {
    if (text.value === applied) return;
    const value = parseValue(text.value, unit);
    problem.value = value === null || value <= low ? `Write a value such as ${valueWords(most / 2, unit)}` : null;
    if (value !== null && problem.value === null) set(Math.min(value, most), "push");
  };
  return (
    <>
      <div class="field upper">
        <input
          type="range"
          aria-label="Upper end of the colours"
          title="Where the colours end: what is above looks like the end"
          min={1}
          max={NOTCHES}
          value={Math.round((Math.max(top, 0) / most) ** (1 / BEND) * NOTCHES)}
          aria-valuetext={valueWords(top, unit)}
          onInput={(event) => set(most * (Number(event.currentTarget.value) / NOTCHES) ** BEND, "live")}
        />
        <input
          type="text"
          class="value"
          aria-label="Upper end, as a number"
          aria-invalid={problem.value !== null}
          aria-describedby="upper-problem"
          autocomplete="off"
          spellcheck={false}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
          onBlur={apply}
          onKeyDown={(event) => {
            if (event.key === "Enter") apply();
            if (event.key === "Escape") text.value = applied;
          }}
        />
        {range !== null && (
          <button
            type="button"
            class="link"
            title="Up to the largest value"
            onClick={() => goLogical({ range: null }, "push")}
          >
            reset
          </button>
        )}
      </div>
      <p id="upper-problem" class="problem" role="alert">
        {problem.value}
      </p>
    </>
  );
}

export function MetricPanel() {
  if (!hasSteps.value || logicalKnown.value === null) return null;
  const { palette } = place.value.logical;
  if (timelineColour.value === "phase") {
    return (
      <section aria-label="Metric" data-testid="metric-panel">
        <h2>Metric</h2>
        <p class="quiet">
          Colours tell phases apart.{" "}
          <button type="button" class="link" onClick={() => goLogical({ colour: null }, "push")}>
            Colour by {metricNow().title.toLowerCase()}
          </button>
        </p>
      </section>
    );
  }
  return (
    <section aria-label="Metric" data-testid="metric-panel">
      <h2>
        Metric
        <select
          class="title sort"
          aria-label="Palette"
          title="Colours: from blue over yellow to red, or one hue"
          value={palette}
          onChange={(event) => {
            const { value } = event.currentTarget;
            goLogical({ palette: PALETTES.find((one) => one === value) ?? palette }, "push");
          }}
        >
          {PALETTES.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </h2>
      <Choice />
      <Key />
      {!place.value.logical.relative && <Upper />}
    </section>
  );
}
