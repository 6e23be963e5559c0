/** Where loads come from, and which parts of the run they are of. */
import type { TrafficOrigin } from "../../../api/types";
import { formatCount, plural, printable } from "../../../base/format";
import { option, setOptions } from "../../../state/state";
import { LinkButton, Select } from "../controls";
import { Panel } from "../panel";
import { machine, machineKind, sectionsNow, sectionsOption, told, withoutUnit } from "./data";

const ORIGINS: readonly { value: TrafficOrigin; label: string; hint: string }[] = [
  { value: "measured", label: "Measured counters", hint: "What counters of the machine say" },
  { value: "predicted", label: "Predicted from trace", hint: "What messages and collectives put on the links" },
  { value: "simulated", label: "Simulated", hint: "What a simulation says that the links carried" },
];

export function LoadFromPanel() {
  const about = machine.known.value;
  // With only one kind there is nothing to choose, and the panel of the traffic says the rest.
  if (about === null || (machineKind.value !== "torus" && about.origins.length < 2)) return null;
  const now = told.value?.origin ?? about.origins[0];
  return (
    <Panel title="Load from" testid="load-from">
      <ul class="sources">
        {ORIGINS.map(({ value, label, hint }) => {
          const isThere = about.origins.includes(value);
          return (
            <li key={value} class={`row pick ${value === now ? "on" : ""}`}>
              <label class="name" title={hint}>
                <input
                  type="radio"
                  name="traffic"
                  checked={value === now}
                  disabled={!isThere}
                  onChange={() => setOptions({ traffic: value === about.origins[0] ? "" : value, loads: null })}
                />
                <span class="label">{label}</span>
                {!isThere && <span class="n">none</span>}
              </label>
            </li>
          );
        })}
      </ul>
      {now === "measured" && about.link_counters.length > 1 && (
        <div class="choices">
          <Select
            class="boxed"
            label="Counter"
            value={option("link-counter") || (about.link_counters[0] ?? "")}
            choices={about.link_counters.map((name) => ({ value: name, label: printable(name, 40) }))}
            onChange={(name) =>
              setOptions({ "link-counter": name === about.link_counters[0] ? "" : name, loads: null })
            }
          />
        </div>
      )}
    </Panel>
  );
}

export function SectionsPanel() {
  const sections = told.value?.sections ?? [];
  if (sections.length < 2) return null;
  const chosen = sectionsNow() ?? sections.map((_, at) => at);
  const set = (numbers: readonly number[]) => setOptions(sectionsOption(numbers, sections.length));
  const toggle = (at: number, on: boolean) =>
    set(sections.map((_, one) => one).filter((one) => (one === at ? on : chosen.includes(one))));
  return (
    <Panel
      title="Sections"
      testid="sections"
      beside={
        <span class="leads">
          {chosen.length < sections.length && (
            <LinkButton plain title="Count all sections" onClick={() => setOptions({ sections: "" })}>
              all
            </LinkButton>
          )}
          <span>{told.value?.is_bytes === false ? printable(told.value.unit, 20) : "sent"}</span>
        </span>
      }
    >
      <ul class="scroll">
        {sections.map(({ name, operations, sent }, at) => {
          const on = chosen.includes(at);
          // Without any section there is nothing to show: the last one stays.
          const isLast = on && chosen.length === 1;
          return (
            <li key={`${name}${at}`} class="row pick">
              <label
                class="name"
                title={`${printable(name)}${operations === "" ? "" : `: ${operations} ${plural(operations, "operation")}`}`}
              >
                <input
                  type="checkbox"
                  checked={on}
                  disabled={isLast}
                  onChange={(event) => toggle(at, event.currentTarget.checked)}
                />
                <span class="label">{printable(name, 60)}</span>
                <span class="n">{withoutUnit(sent)}</span>
              </label>
              <button
                type="button"
                class="only"
                title={`Only ${printable(name, 60)}`}
                aria-label={`Only ${printable(name, 60)}`}
                onClick={() => set([at])}
              >
                only
              </button>
            </li>
          );
        })}
      </ul>
      {chosen.length < sections.length && (
        <p class="foot">
          {formatCount(chosen.length)} of {formatCount(sections.length)} sections
        </p>
      )}
    </Panel>
  );
}
