/** What stands out in the window, in words that lead to what they speak of; and the stages of the run. */
import { useSignal } from "@preact/signals";
import type { Finding, Stage } from "../api/types";
import { formatDuration, printable } from "../base/format";
import { percent, timeWords } from "../pane/words";
import { findings, fitAround, go, hasCloser, place, regionColour, regionOf, showsCalls } from "../state/state";

function windowOf({ window }: Finding): [number, number] | null {
  return window && fitAround(Number(window[0]), Number(window[1]));
}

/** Shows what a sentence speaks of: in the closer panes if there are any, else in all of them. */
function show(finding: Finding): void {
  const { calls, highlight } = place.value;
  const time = windowOf(finding);
  const name = finding.region === null ? undefined : regionOf(finding.region)?.name;
  go(
    {
      highlight: name === undefined ? highlight : [name],
      selected: finding.span ?? null,
      ...(time && (hasCloser.value ? { calls: { ...calls, closer: time } } : { time })),
    },
    "push",
  );
}

function Sentence(props: { finding: Finding; number: number }) {
  const { finding, number } = props;
  const time = windowOf(finding);
  const ranks = finding.ranks;
  return (
    <li class="finding">
      <span class="badge" aria-hidden="true">
        {number}
      </span>
      <div>
        <button
          type="button"
          class="sentence"
          data-testid="finding"
          title={`Show it. It costs ${percent(100 * finding.lost)} % of the time of all ranks.`}
          onClick={() => show(finding)}
        >
          {finding.text.map((piece, i) => {
            const text = printable(piece.text, 400);
            const strong = piece.region !== undefined || piece.span !== undefined || piece.window !== undefined;
            // Pieces have no names; their order is what tells them apart.
            return strong ? <b key={`${i}`}>{text}</b> : <span key={`${i}`}>{text}</span>;
          })}
        </button>{" "}
        <span class="leads">
          {time && (
            <button type="button" class="link" title={timeWords(time)} onClick={() => go({ time }, "push")}>
              Zoom in
            </button>
          )}
          {ranks !== undefined && (
            <button
              type="button"
              class="link"
              title={`Ranks ${printable(ranks, 60)}`}
              onClick={() => go({ ranks }, "push")}
            >
              Only these ranks
            </button>
          )}
        </span>
      </div>
    </li>
  );
}

/** More sentences wait behind a button: what is selected and brushed stands below them. */
const FIRST = 3;

export function FindingsPanel() {
  const all = useSignal(false);
  if (!showsCalls.value) return null;
  const now = findings.value;
  const found = now?.findings ?? [];
  const rest = found.length - FIRST;
  return (
    <section aria-label="What stands out" data-testid="findings" aria-busy={now === null}>
      <h2>What stands out</h2>
      {now !== null && now.findings.length === 0 && <p class="quiet">Nothing that costs much in this window.</p>}
      <ol class="findings">
        {found.slice(0, all.value ? undefined : FIRST).map((finding, i) => (
          <Sentence key={`${finding.kind}${i}`} finding={finding} number={i + 1} />
        ))}
      </ol>
      {rest > 0 && (
        <p class="foot">
          <button type="button" class="link" aria-expanded={all.value} onClick={() => (all.value = !all.value)}>
            {all.value ? "fewer" : `${rest} more`}
          </button>
        </p>
      )}
      {(now?.notes ?? []).map((note) => (
        <p class="foot" key={note}>
          {printable(note, 400)}
        </p>
      ))}
    </section>
  );
}

function StageRow(props: { stage: Stage }) {
  const { stage } = props;
  const [from, to] = [Number(stage.start_ns), Number(stage.end_ns)];
  const name = printable(stage.name);
  const colour = stage.region === null ? null : regionColour(stage.region);
  return (
    <li class="row pick">
      <button
        type="button"
        class="name"
        data-testid="stage"
        title={`${name}, ${timeWords([from, to])}: ${percent(100 * stage.efficiency)} % computing. Click zooms in.`}
        onClick={() => go({ time: [from, to] }, "push")}
      >
        <span
          class={`sw ${colour === null ? "compute" : ""}`}
          style={colour === null ? undefined : { background: colour }}
        />
        <span class="label">{name}</span>
        <span class="length">{formatDuration(to - from)}</span>
        <span class="n">{Math.round(100 * stage.efficiency)}</span>
      </button>
    </li>
  );
}

export function Stages() {
  const stages = findings.value?.stages ?? [];
  if (!showsCalls.value || stages.length < 2) return null;
  return (
    <section aria-label="Stages" data-testid="stages">
      <h2>
        Stages <span>% computing</span>
      </h2>
      <ul class="scroll">
        {stages.map((stage) => (
          <StageRow key={stage.start_ns} stage={stage} />
        ))}
      </ul>
    </section>
  );
}
