/** How phases and steps are found: the options of the command line, and what the server says about the result. */
import { ANALYSES, OPTIONS, type OptionName } from "../../../api/options";
import { formatCount, plural, printable } from "../../../base/format";
import { areUsual, logical, option, setOptions, trace } from "../../../state/state";
import { helpOf, OptionSelect, OptionToggle, ResetLink, type SwitchName } from "../controls";
import { DraftField } from "../draft";
import { Panel } from "../panel";

/** All that decide steps; the metric has a panel of its own. */
const NAMES: readonly OptionName[] = ANALYSES.logical.filter((name) => name !== "metric");
const SWITCHES = NAMES.filter((name) => OPTIONS[name].kind === "switch") as SwitchName[];

/** A function whose calls begin phases; suggestions are the trace's own functions. */
function PhaseFunction() {
  const names = (trace.value?.regions ?? []).filter(({ communication }) => !communication).slice(0, 200);
  return (
    <DraftField
      label={OPTIONS["phase-function"].title}
      title={helpOf("phase-function")}
      placeholder="phases begin with …"
      list="phase-functions"
      applied={option("phase-function")}
      apply={(text) => {
        setOptions({ "phase-function": text.trim() });
        return null;
      }}
    >
      <datalist id="phase-functions">
        {names.map(({ id, name }) => (
          <option key={id} value={printable(name)} />
        ))}
      </datalist>
      <ResetLink names={["phase-function"]}>none</ResetLink>
    </DraftField>
  );
}

export function LogicalOptionsPanel() {
  const known = logical.known.value;
  return (
    <Panel
      title="Logical time"
      testid="logical-options"
      beside={
        <ResetLink names={NAMES} plain title="Reset all options">
          reset
        </ResetLink>
      }
    >
      {known && (
        <p class="quiet" data-testid="logical-facts">
          {formatCount(known.events)} {plural(known.events, "event")} in {formatCount(known.steps)}{" "}
          {plural(known.steps, "step")} and {formatCount(known.phases)} {plural(known.phases, "phase")}
        </p>
      )}
      {(known?.hints ?? []).map((hint) => (
        <p key={hint} class="hint" data-testid="logical-hint">
          {printable(hint, 400)}
        </p>
      ))}
      <details class="more">
        <summary data-testid="options">
          options <span>{areUsual(NAMES) ? "default" : "changed"}</span>
        </summary>
        {SWITCHES.map((name) => (
          <OptionToggle key={name} name={name} label={OPTIONS[name].title} class="option" />
        ))}
        <div class="field">
          <span class="what">{OPTIONS.stepping.title}</span>
          <OptionSelect
            name="stepping"
            label={OPTIONS.stepping.title}
            words={{ "sends-first": "sends side by side", earliest: "each as early as possible" }}
          />
        </div>
        <PhaseFunction />
      </details>
    </Panel>
  );
}
