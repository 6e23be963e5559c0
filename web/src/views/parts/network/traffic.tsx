/** Of trees and dragonflies: whose traffic is shown, of the trace or of a pattern, and which way it takes. */
import type { ComponentChildren } from "preact";
import { option, readOptions, setOptions } from "../../../state/state";
import { helpOf } from "../controls";
import { Panel } from "../panel";
import { aboutMachine, machineKind } from "./data";

/** A few choices side by side. */
function Choices<T extends string>(props: {
  label: string;
  title: string;
  value: T;
  choices: readonly { value: T; label: ComponentChildren; hint?: string }[];
  onChange: (value: T) => void;
}) {
  return (
    <fieldset class="seg wide" aria-label={props.label} title={props.title}>
      {props.choices.map(({ value, label, hint }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.value}
          title={hint}
          onClick={() => props.onChange(value)}
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}

/** The patterns that people compare by (Berkbigler et al.), beside what the program sent. */
export const PATTERNS = [
  { value: "", label: "Trace", hint: "What the program sent" },
  { value: "nearest", label: "Nearest", hint: "Every rank to its neighbours on a grid of three dimensions" },
  { value: "uniform", label: "Uniform", hint: "Every rank to all others alike" },
] as const;

export function TrafficPanel() {
  if (machineKind.value === "torus") return null;
  const now = option("pattern");
  const isOther = !PATTERNS.some(({ value }) => value === now);
  const others = isOther ? [{ value: now, label: now }] : [];
  return (
    <Panel title="Traffic" testid="traffic">
      <Choices<string>
        label="Traffic"
        title={helpOf("pattern")}
        value={now}
        choices={[...PATTERNS, ...others]}
        onChange={(pattern) => setOptions({ pattern, loads: null })}
      />
    </Panel>
  );
}

const ROUTINGS: Readonly<Record<string, { label: string; hint: string }>> = {
  "d-mod-k": { label: "d-mod-k", hint: "Up by the receiver's number: one path per pair" },
  spread: { label: "Spread", hint: "Over all ways up alike" },
  minimal: { label: "Minimal", hint: "Straight to the other group" },
  valiant: { label: "Valiant", hint: "By way of a third group" },
};

/** A routing in words. */
export function routingWords(name: string): { label: string; hint: string } {
  return ROUTINGS[name] ?? { label: name, hint: "" };
}

export function setRouting(routing: string): void {
  setOptions({ ...readOptions({ routing }), loads: null });
}

export function RoutingPanel() {
  const about = aboutMachine.value;
  if (machineKind.value === "torus" || about === null) return null;
  return (
    <Panel title="Routing" testid="routing">
      <Choices<string>
        label="Routing"
        title={helpOf("routing")}
        value={about.routing}
        choices={about.routings.map((value) => ({ value, ...routingWords(value) }))}
        onChange={setRouting}
      />
    </Panel>
  );
}
