/** Which ranks are in sight: by a list of ranks, or by the members of a communicator. */
import { formatCount, printable } from "../base/format";
import { go, place, ranksProblem, tidyRanks, trace } from "../state/state";
import { LinkButton } from "../views/parts/controls";
import { DraftField } from "../views/parts/draft";
import { Panel } from "../views/parts/panel";
import { inSight } from "../views/registry";

export function RankFilter() {
  const info = trace.value;
  const applied = place.value.ranks;
  if (!info) return null;
  const all = `all ${formatCount(info.has_ranks ? info.ranks : info.rows)}`;
  return (
    <Panel title={info.has_ranks ? "Ranks" : "Locations"} beside={<span>{applied === "" ? all : "filtered"}</span>}>
      <DraftField
        label="Only these ranks"
        problemId="ranks-problem"
        placeholder="such as 0-15,100,200-"
        onLeave={false}
        applied={applied}
        apply={(text) => {
          const problem = ranksProblem(text);
          if (problem === null) go({ ranks: tidyRanks(text) }, "push");
          return problem;
        }}
      >
        {applied !== "" && <LinkButton onClick={() => go({ ranks: "" }, "push")}>all</LinkButton>}
      </DraftField>
    </Panel>
  );
}

function communicatorTitle(name: string, whole: boolean, filter: string | null): string {
  if (whole) return `${name}: all ranks`;
  return filter === null ? `${name}: too many separate ranks for a filter` : `${name}: only ranks ${filter}`;
}

export function Communicators() {
  const info = trace.value;
  if (!info || info.communicators.length === 0) return null;
  // Where ranks are places of a machine, one looks at them among the others.
  const selects = inSight().some(({ selectsRanks }) => selectsRanks === true);
  return (
    <Panel title="Communicators" beside={<span>ranks</span>}>
      <ul class="scroll">
        {info.communicators.map((one) => {
          const whole = one.members >= info.ranks;
          const filter = one.ranks === undefined || one.ranks.endsWith("…") ? null : one.ranks;
          const isSelected = filter !== null && place.value.selected === `ranks:${filter}`;
          const on = selects ? isSelected : place.value.ranks === (whole ? "" : filter);
          const choose = () =>
            selects
              ? go({ selected: isSelected || filter === null ? null : `ranks:${filter}` }, "push")
              : go({ ranks: whole || on ? "" : (filter ?? "") }, "push");
          const name = printable(one.name);
          return (
            <li key={one.id} class={`row pick ${on && (selects || !whole) ? "on" : ""}`}>
              <button
                type="button"
                class="name"
                aria-pressed={on}
                disabled={filter === null && (selects || !whole)}
                title={selects ? `Select the ranks of ${name}` : communicatorTitle(name, whole, filter)}
                onClick={choose}
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
          {formatCount(info.communicators.length)} of {formatCount(info.communicators_total)}; search for the rest.
        </p>
      )}
    </Panel>
  );
}
