/** Which ranks are in sight: by a list of ranks, or by the members of a communicator. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { formatCount, printable } from "../base/format";
import { go, place, ranksProblem, tidyRanks, trace } from "../state/state";

export function RankFilter() {
  const info = trace.value;
  const text = useSignal(place.value.ranks);
  const problem = useSignal<string | null>(null);
  const applied = place.value.ranks;
  // Back, or a click on a communicator, changes the filter behind the field.
  useEffect(() => {
    text.value = applied;
    problem.value = null;
  }, [applied, text, problem]);
  if (!info) return null;
  const apply = () => {
    problem.value = ranksProblem(text.value);
    if (problem.value === null) go({ ranks: tidyRanks(text.value) }, "push");
  };
  const noun = info.has_ranks ? "Ranks" : "Locations";
  return (
    <section aria-label={noun}>
      <h2>
        {noun}{" "}
        <span>{applied === "" ? `all ${formatCount(info.has_ranks ? info.ranks : info.rows)}` : "filtered"}</span>
      </h2>
      <div class="field">
        <input
          type="text"
          aria-label="Only these ranks"
          aria-invalid={problem.value !== null}
          aria-describedby="ranks-problem"
          placeholder="such as 0-15,100,200-"
          autocomplete="off"
          spellcheck={false}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            // Mistakes are told on Enter; while mending, the message goes as soon as it is right.
            if (problem.value !== null) problem.value = ranksProblem(text.value);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter") apply();
            if (event.key === "Escape") text.value = applied;
          }}
        />
        {applied !== "" && (
          <button type="button" class="link" onClick={() => go({ ranks: "" }, "push")}>
            all
          </button>
        )}
      </div>
      <p id="ranks-problem" class="problem" role="alert">
        {problem.value}
      </p>
    </section>
  );
}

function communicatorTitle(name: string, whole: boolean, filter: string | null): string {
  if (whole) return `${name}: all ranks`;
  return filter === null ? `${name}: too many separate ranks for a filter` : `${name}: only ranks ${filter}`;
}

export function Communicators() {
  const info = trace.value;
  if (!info || info.communicators.length === 0) return null;
  return (
    <section aria-label="Communicators">
      <h2>
        Communicators <span>ranks</span>
      </h2>
      <ul class="scroll">
        {info.communicators.map((one) => {
          const whole = one.members >= info.ranks;
          const filter = one.ranks === undefined || one.ranks.endsWith("…") ? null : one.ranks;
          const on = place.value.ranks === (whole ? "" : filter);
          const name = printable(one.name);
          return (
            <li key={one.id} class={`row pick ${on && !whole ? "on" : ""}`}>
              <button
                type="button"
                class="name"
                aria-pressed={on}
                disabled={filter === null && !whole}
                title={communicatorTitle(name, whole, filter)}
                onClick={() => go({ ranks: whole || on ? "" : (filter ?? "") }, "push")}
              >
                <span class="label">{name}</span>
                <span class="n">{formatCount(one.members)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {info.communicators_total > info.communicators.length && (
        <p class="foot">
          {formatCount(info.communicators.length)} of {formatCount(info.communicators_total)}; search finds the rest.
        </p>
      )}
    </section>
  );
}
