/** What is counted, what it weighs, and how groups are told apart: all that decides the lines. */
import { OPTIONS, type OptionValues } from "../../../api/options";
import { printable } from "../../../base/format";
import { option, setOptions, trace } from "../../../state/state";
import { helpOf, OptionSelect, ResetLink, Select } from "../controls";
import { DraftField } from "../draft";
import { Panel } from "../panel";
import { setWork, workNow } from "./data";

/** What a choice means, in a sentence that one can repeat. */
const SENTENCES: Readonly<Record<OptionValues["weights"], string>> = {
  none: "Tasks done, all of the same weight.",
  type: "Tasks done, each weighted by the time the whole node would need for one of its type.",
  worker: "The same, with only the workers that ran one of the type and the mean of each: as StarVZ has it.",
};
const FRACTION = " A running task counts by the share of its time that has gone by.";

/** Functions whose calls may be counted: so many of those that take most time. */
const FUNCTIONS = 12;

function Weights() {
  const now = option("weights");
  const button = (label: string, on: boolean, weights: OptionValues["weights"], hint: string) => (
    <button type="button" aria-pressed={on} title={hint} onClick={() => setOptions({ weights })}>
      {label}
    </button>
  );
  return (
    <fieldset class="seg wide" aria-label={OPTIONS.weights.title}>
      {button("Simple", now === "none", "none", SENTENCES.none)}
      {button("Heterogeneous", now !== "none", now === "none" ? "type" : now, SENTENCES.type)}
    </fieldset>
  );
}

/** What counts as work. Programs without tasks have steps, and any program has calls. */
function Work() {
  const now = option("work");
  const { tasks = "0", logical, regions = [] } = trace.value ?? {};
  const called = regions
    .slice(0, FUNCTIONS)
    .map(({ name }) => ({ value: name, label: `calls of ${printable(name, 30)}` }));
  const choices = [
    ...(tasks === "0"
      ? []
      : [
          { value: "tasks", label: "tasks" },
          { value: "iterations", label: "iterations" },
        ]),
    ...(logical === true ? [{ value: "steps", label: "logical steps" }] : []),
    ...called,
  ];
  const usual = tasks === "0" ? "steps" : "tasks";
  const value = now === "" ? usual : now;
  const own = choices.some((one) => one.value === value) ? [] : [{ value, label: printable(value, 40) }];
  return (
    <div class="field">
      <span class="what">Work</span>
      <Select<string>
        class="boxed"
        label={OPTIONS.work.title}
        title={helpOf("work")}
        value={value}
        choices={[...choices, ...own]}
        onChange={(work) => setWork(work === usual ? "" : work)}
      />
    </div>
  );
}

function MinDepth() {
  return (
    <div class="field">
      <span class="what">Depth</span>
      <DraftField
        label={OPTIONS["min-depth"].title}
        fieldClass="grows"
        problemId="min-depth-problem"
        title={helpOf("min-depth")}
        applied={String(option("min-depth"))}
        apply={(text) => {
          const depth = text.trim() === "" ? Number.NaN : Number(text);
          if (!(depth >= 0 && depth <= 1)) return "Write a share from 0 to 1.";
          setOptions({ "min-depth": depth });
          return null;
        }}
      />
    </div>
  );
}

const OPTIONS_HERE = ["work", "weights", "in-flight", "bound-workers", "min-depth"] as const;

export function MetricPanel() {
  const weights = option("weights");
  // Other work has no types: nothing to weigh.
  const isOfTasks = workNow() === "tasks";
  const sentence = isOfTasks
    ? SENTENCES[weights] + (option("in-flight") === "fraction" ? FRACTION : "")
    : `Share of its own ${printable(workNow(), 60)} that each node has done, all of the same weight.`;
  return (
    <Panel
      title="Metric"
      testid="progress-metric"
      beside={
        <ResetLink names={OPTIONS_HERE} plain title="As in the paper">
          reset
        </ResetLink>
      }
    >
      {isOfTasks && <Weights />}
      <p class="quiet sentence-of">{sentence}</p>
      <details class="more">
        <summary>Options</summary>
        <Work />
        {isOfTasks && (
          <>
            <div class="field">
              <span class="what">Weights</span>
              <OptionSelect
                class="boxed"
                name="weights"
                label={OPTIONS.weights.title}
                words={{ none: "all the same", type: "by type", worker: "by type and worker (StarVZ)" }}
              />
            </div>
            <div class="field">
              <span class="what">Running</span>
              <OptionSelect
                class="boxed"
                name="in-flight"
                label={OPTIONS["in-flight"].title}
                words={{ step: "count when they end", fraction: "count in part" }}
              />
            </div>
          </>
        )}
        <div class="field">
          <span class="what">Bound</span>
          <OptionSelect
            class="boxed"
            name="bound-workers"
            label={OPTIONS["bound-workers"].title}
            words={{ declared: "with all workers", observed: "with those that ran a task" }}
          />
        </div>
        <MinDepth />
      </details>
    </Panel>
  );
}
