/** Ranks over logical steps, as equal boxes coloured by a metric: the pattern of the communication, without the clock. */
import { stepWords } from "../pane/words";
import { goLogical, place } from "../state/state";
import { LogicalNotice } from "./logical-notice";
import type { View } from "./view";

function Toggle(props: { label: string; title: string; on: boolean; onChange: (on: boolean) => void }) {
  return (
    <label class="toggle" title={props.title}>
      <input type="checkbox" checked={props.on} onChange={(event) => props.onChange(event.currentTarget.checked)} />
      {props.label}
    </label>
  );
}

function Controls() {
  const { aggregates, messages, path } = place.value.logical;
  return (
    <>
      {path && (
        <Toggle
          label="Path"
          title="The way on which the lateness came"
          on
          onChange={() => goLogical({ path: false }, "push")}
        />
      )}
      <Toggle
        label="Messages"
        title="Lines of messages and marks of collectives, where there is room"
        on={messages}
        onChange={(on) => goLogical({ messages: on }, "push")}
      />
      <Toggle
        label="Aggregates"
        title="What lies between two events of a rank: how late it was before the event"
        on={aggregates}
        onChange={(on) => goLogical({ aggregates: on }, "push")}
      />
    </>
  );
}

export const logical: View = {
  name: "logical",
  title: "Logical timeline",
  about: "Ranks over logical steps: equal boxes, coloured by how late each was.",
  y: "rows",
  source: { view: "logical", steps: true },
  Sub: () => <>{stepWords()}</>,
  Controls,
  Over: LogicalNotice,
};
