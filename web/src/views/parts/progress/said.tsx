/** The progression in words, the selected nodes, and the run as a whole. */
import { parseSelection } from "../../../api/selection";
import type { Piece, ProgressWords } from "../../../api/types";
import { formatCount, formatDuration, plural, printable } from "../../../base/format";
import { changedIn, go, place, reveal } from "../../../state/state";
import { LinkButton } from "../controls";
import { Facts, Panel } from "../panel";
import { ganttPane, progression, showInstant, shownInstant, told } from "./data";
import { instantAfter } from "./time-steps";
import { share, times } from "./words";

/** Selects what a sentence speaks of, and shows the step where that begins. */
function show({ select, since }: ProgressWords): void {
  const { time } = place.value;
  go(
    {
      ...(select !== null && { selected: select }),
      ...(time && since !== null && { time: reveal(time, [since, since + 1]) }),
    },
    "push",
  );
  if (since !== null) showInstant(instantAfter(told.value?.times ?? [], since), "live");
}

function Pieces(props: { text: readonly Piece[] }) {
  return (
    <>
      {props.text.map(({ text, ...marks }, i) => {
        const shown = printable(text, 400);
        // Pieces have no names; their order is what tells them apart.
        return Object.keys(marks).length > 0 ? <b key={`${i}`}>{shown}</b> : <span key={`${i}`}>{shown}</span>;
      })}
    </>
  );
}

function Sentence(props: { words: ProgressWords }) {
  const { words } = props;
  const isLead = words.select !== null || words.since !== null;
  const text = <Pieces text={words.text} />;
  return (
    <div class={`say ${words.is_loss ? "" : "calm"}`} data-testid="progress-words">
      {isLead ? (
        <button
          type="button"
          class="sentence"
          title="Select these nodes, and show the step where it begins"
          onClick={() => show(words)}
        >
          {text}
        </button>
      ) : (
        text
      )}
    </div>
  );
}

export function InWords() {
  const now = told.value;
  const isComing = progression.isWanted.value && now === null;
  if (now === null && !isComing) return null;
  return (
    <Panel title="In words" testid="in-words" busy={isComing}>
      {now?.words.map((words, i) => (
        <Sentence key={`${i}`} words={words} />
      ))}
    </Panel>
  );
}

/** The tasks of the selected nodes one by one, in the Gantt chart; and back. */
function showDetail(nodes: string): void {
  const pane = ganttPane();
  if (pane !== null) go({ ...changedIn(pane, { lanes: "workers" }), ranks: nodes, rows: null }, "push");
}

export function SelectedNodes() {
  const now = told.value;
  const selected = now?.selected ?? null;
  const shown = shownInstant();
  if (now === null || selected === null || shown === null) return null;
  const groups = shown.instant.groups;
  const at = groups.findIndex(({ select }) => select === place.value.selected);
  const group = groups[at];
  const single = selected.count === 1;
  const title = group !== undefined && !single ? "Selected group" : single ? "Selected node" : "Selected nodes";
  const beside = group === undefined ? selected.nodes : `${at + 1} of ${groups.length}`;
  const chosen = place.value.selected === null ? null : parseSelection(place.value.selected);
  const filter = chosen?.kind === "ranks" ? chosen.ranks : null;
  return (
    <Panel
      title={title}
      testid="selected-nodes"
      beside={<span class="plain">{single ? printable(selected.nodes) : group && beside}</span>}
    >
      <Facts
        facts={[
          [
            plural(selected.count, "Node"),
            <>
              {group && <span class="sw" style={{ background: group.colour }} />}
              {printable(selected.nodes, 400)}
            </>,
          ],
          ...selected.facts
            .filter(([name]) => !/^nodes?$/i.test(name))
            .map(([name, text]) => [printable(name), printable(text, 400)] as const),
        ]}
      />
      <p class="leads">
        {ganttPane() !== null && filter !== null && (
          <button
            type="button"
            class="button"
            title="Their tasks one by one, worker by worker"
            onClick={() => showDetail(filter)}
          >
            Show detail
          </button>
        )}
        <button
          type="button"
          class="button"
          title="What they did over time, in the timeline"
          onClick={() => go({ layout: "overview", time: place.value.time }, "push")}
        >
          Timeline
        </button>
        <LinkButton plain title="Clear the selection (Esc)" onClick={() => go({ selected: null }, "push")}>
          clear
        </LinkButton>
      </p>
    </Panel>
  );
}

export function TheRun() {
  const now = told.value;
  if (now === null) return null;
  const { bounds, kinds, span } = now;
  const busy = kinds.map(
    ({ name, declared, busy: part }) =>
      [name === "" ? "Busy" : `${printable(name, 20)} busy`, `${share(part)} of ${formatCount(declared)}`] as const,
  );
  // Only tasks have durations that a bound can be made of.
  const hasBound = bounds.area > 0;
  const area = `${formatDuration(bounds.area)} · by steps ${formatDuration(bounds.by_steps)}`;
  return (
    <Panel title="The run" testid="the-run">
      <Facts
        facts={[
          ["Makespan", formatDuration(span[1] - span[0]) + (hasBound ? `, ${times(bounds.ratio)} the bound` : "")],
          ...(hasBound ? [["Area bound", area] as const] : []),
          ...(bounds.chain === null ? [] : [["Chain", `${formatDuration(bounds.chain)}, the longest`] as const]),
          ...busy,
        ]}
      />
      {now.notes.map((note) => (
        <p class="foot" key={note}>
          {printable(note, 400)}
        </p>
      ))}
    </Panel>
  );
}
