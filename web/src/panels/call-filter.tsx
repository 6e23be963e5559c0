/** Which calls are left out of the call view: by duration, bytes and communicator. Ranks and functions have panels of their own. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { printable } from "../base/format";
import { BYTES, DURATIONS, parseRange, type Quantity, rangeWords } from "../base/ranges";
import { goCalls, LONGEST, place, showsCalls, trace } from "../state/state";

interface RangeProps {
  what: string;
  label: string;
  quantity: Quantity;
  range: [number, number] | null;
  apply: (range: [number, number] | null) => void;
}

function RangeField({ what, label, quantity, range, apply }: RangeProps) {
  const applied = range === null ? "" : rangeWords(range, quantity, LONGEST);
  const text = useSignal(applied);
  const problem = useSignal<string | null>(null);
  // Back, or a link, changes the filter behind the field.
  useEffect(() => {
    text.value = applied;
    problem.value = null;
  }, [applied, text, problem]);
  const submit = () => {
    // Words are rounded: what nobody touched stays as exact as it is.
    const read = text.value === applied ? range : parseRange(text.value, quantity, LONGEST);
    problem.value = typeof read === "string" ? read : null;
    if (typeof read !== "string" && read !== range) apply(read);
  };
  const id = `${what}-problem`;
  return (
    <>
      <div class="field">
        <span class="what">{what}</span>
        <input
          type="text"
          aria-label={label}
          aria-invalid={problem.value !== null}
          aria-describedby={id}
          placeholder={`such as ${quantity.range.replace(/,.*/, "").replace("-", "–")}`}
          title={`A range, such as ${quantity.range.replaceAll("-", "–")}`}
          autocomplete="off"
          spellcheck={false}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            // Mistakes are told on Enter; while mending, the message goes as soon as it is right.
            if (problem.value !== null) problem.value = null;
          }}
          onBlur={submit}
          onKeyDown={(event) => {
            if (event.key === "Enter") submit();
            if (event.key === "Escape") text.value = applied;
          }}
        />
      </div>
      <p id={id} class="problem" role="alert">
        {problem.value}
      </p>
    </>
  );
}

function OfCommunicator() {
  const known = trace.value?.communicators ?? [];
  const { communicator } = place.value.calls;
  if (known.length === 0) return null;
  return (
    <div class="field">
      <span class="what">within</span>
      <select
        aria-label="Only calls of this communicator"
        value={communicator === null ? "" : String(communicator)}
        onChange={(event) => {
          const { value } = event.currentTarget;
          goCalls({ communicator: value === "" ? null : Number(value) }, "push");
        }}
      >
        <option value="">any communicator</option>
        {known.map((one) => (
          <option key={one.id} value={String(one.id)}>
            {printable(one.name, 60)}
          </option>
        ))}
      </select>
    </div>
  );
}

export function CallFilter() {
  if (!showsCalls.value) return null;
  const { durations, bytes, communicator } = place.value.calls;
  const filters = durations !== null || bytes !== null || communicator !== null;
  return (
    <section aria-label="Only calls with" data-testid="call-filter">
      <h2>
        Only calls with
        {filters && (
          <button
            type="button"
            class="link plain"
            onClick={() => goCalls({ durations: null, bytes: null, communicator: null }, "push")}
          >
            all
          </button>
        )}
      </h2>
      <RangeField
        what="duration"
        label="Only calls of this duration"
        quantity={DURATIONS}
        range={durations}
        apply={(range) => goCalls({ durations: range }, "push")}
      />
      <RangeField
        what="message"
        label="Only calls of so many bytes"
        quantity={BYTES}
        range={bytes}
        apply={(range) => goCalls({ bytes: range }, "push")}
      />
      <OfCommunicator />
    </section>
  );
}
