/** Which calls are left out of the call view: by duration and by communicator. Ranks and functions have panels of their own. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { durationsWords, parseDurations } from "../base/durations";
import { printable } from "../base/format";
import { goCalls, LONGEST, place, showsCalls, trace } from "../state/state";

function Durations() {
  const { durations } = place.value.calls;
  const applied = durations === null ? "" : durationsWords(durations, LONGEST);
  const text = useSignal(applied);
  const problem = useSignal<string | null>(null);
  // Back, or a link, changes the filter behind the field.
  useEffect(() => {
    text.value = applied;
    problem.value = null;
  }, [applied, text, problem]);
  const apply = () => {
    const range = parseDurations(text.value, LONGEST);
    problem.value = typeof range === "string" ? range : null;
    if (typeof range !== "string") goCalls({ durations: range }, "push");
  };
  return (
    <>
      <div class="field">
        <span class="what">duration</span>
        <input
          type="text"
          aria-label="Only calls of this duration"
          aria-invalid={problem.value !== null}
          aria-describedby="durations-problem"
          placeholder="such as 1 ms – 2 s"
          title="A range, such as 1 ms – 2 s or 10 us –"
          autocomplete="off"
          spellcheck={false}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            // Mistakes are told on Enter; while mending, the message goes as soon as it is right.
            if (problem.value !== null) problem.value = null;
          }}
          onBlur={apply}
          onKeyDown={(event) => {
            if (event.key === "Enter") apply();
            if (event.key === "Escape") text.value = applied;
          }}
        />
      </div>
      <p id="durations-problem" class="problem" role="alert">
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
  const { durations, communicator } = place.value.calls;
  const filters = durations !== null || communicator !== null;
  return (
    <section aria-label="Only calls with" data-testid="call-filter">
      <h2>
        Only calls with
        {filters && (
          <button
            type="button"
            class="link plain"
            onClick={() => goCalls({ durations: null, communicator: null }, "push")}
          >
            all
          </button>
        )}
      </h2>
      <Durations />
      <OfCommunicator />
    </section>
  );
}
