/** How phases and steps are found: the options of the command line, and what the server says about the result. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { formatCount, printable } from "../base/format";
import {
  goLogical,
  goOptions,
  hasSteps,
  logicalKnown,
  optionsText,
  place,
  STEPPINGS,
  SWITCHES,
  trace,
  USUAL_OPTIONS,
} from "../state/state";

const HELP: Record<string, string> = {
  "common-caller": "Events under one call of a function belong to one phase",
  "wait-all": "Sends up to the wait that completes them belong to one phase",
  "coalesce-isends": "A run of non-blocking sends is one event",
  "leap-merge": "Joins phases until each covers all ranks; for codes that work in rounds",
  "leap-skip": "With leap merge: leaves a leap that cannot be completed as it is",
  "same-size": "Messages match only if both ends say the same size",
  "merge-overlapping": "Joins phases whose steps overlap",
  "collective-borders": "Collectives are not joined with what comes before or after",
};

/** A function whose calls begin phases; suggestions are the trace's own functions. */
function PhaseFunction() {
  const applied = place.value.logical.options.phaseFunction;
  const text = useSignal(applied);
  useEffect(() => {
    text.value = applied;
  }, [applied, text]);
  const apply = () => {
    if (text.value.trim() !== applied) goOptions({ phaseFunction: text.value.trim() });
  };
  const names = (trace.value?.regions ?? []).filter(({ communication }) => !communication).slice(0, 200);
  return (
    <div class="field">
      <input
        type="text"
        list="phase-functions"
        aria-label="Phase function"
        title="Phases begin where this function is entered (--phase-function)"
        placeholder="phase function"
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onChange={apply}
        onKeyDown={(event) => {
          if (event.key === "Enter") apply();
          if (event.key === "Escape") text.value = applied;
        }}
      />
      <datalist id="phase-functions">
        {names.map(({ id, name }) => (
          <option key={id} value={printable(name)} />
        ))}
      </datalist>
      {applied !== "" && (
        <button type="button" class="link" onClick={() => goOptions({ phaseFunction: "" })}>
          none
        </button>
      )}
    </div>
  );
}

export function LogicalOptionsPanel() {
  if (!hasSteps.value) return null;
  const { options } = place.value.logical;
  const known = logicalKnown.value;
  const isUsual = optionsText.value === "";
  return (
    <section aria-label="Logical time" data-testid="logical-options">
      <h2>
        Logical time
        {!isUsual && (
          <button
            type="button"
            class="link plain"
            title="All options as usual"
            onClick={() => goLogical({ options: USUAL_OPTIONS }, "push")}
          >
            reset
          </button>
        )}
      </h2>
      {known && (
        <p class="quiet" data-testid="logical-facts">
          {formatCount(known.events)} events in {formatCount(known.steps)} {known.steps === 1 ? "step" : "steps"} and{" "}
          {formatCount(known.phases)} {known.phases === 1 ? "phase" : "phases"}
        </p>
      )}
      {(known?.hints ?? []).map((hint) => (
        <p key={hint} class="hint" data-testid="logical-hint">
          {printable(hint, 400)}
        </p>
      ))}
      <details class="more">
        <summary data-testid="options">
          options <span>{isUsual ? "as usual" : "changed"}</span>
        </summary>
        {SWITCHES.map(({ name, key }) => (
          <label
            key={name}
            class="toggle option"
            title={`${HELP[name] ?? ""} (--${USUAL_OPTIONS[key] ? "no-" : ""}${name})`}
          >
            <input
              type="checkbox"
              checked={options[key]}
              onChange={(event) => goOptions({ [key]: event.currentTarget.checked })}
            />
            {name}
          </label>
        ))}
        <div class="field">
          <span class="what">stepping</span>
          <select
            aria-label="Stepping"
            title="Sends in columns of their own, or every event as early as it can be (--stepping)"
            value={options.stepping}
            onChange={(event) => {
              const { value } = event.currentTarget;
              goOptions({ stepping: STEPPINGS.find((one) => one === value) ?? options.stepping });
            }}
          >
            {STEPPINGS.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </div>
        <PhaseFunction />
      </details>
    </section>
  );
}
