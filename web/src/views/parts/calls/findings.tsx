/** What stands out in the window, in words that lead to what they speak of; and the stages of the run. */
import { useSignal } from "@preact/signals";
import type { Finding, Stage } from "../../../api/types";
import { formatCount, formatDuration, printable } from "../../../base/format";
import { percent, timeWords } from "../../../pane/words";
import { findings, fitAround, go, hasCloser, place, regionColour, regionOf } from "../../../state/state";
import { LinkButton } from "../controls";
import { FirstSentence } from "../diagnosis/sentence";
import { Panel } from "../panel";
import { restName } from "../shares";

function windowOf({ window }: Finding): [number, number] | null {
  return window && fitAround(Number(window[0]), Number(window[1]));
}

/** Shows what a sentence speaks of: in the closer panes if there are any, else in all of them. */
function show(finding: Finding): void {
  const { highlight } = place.value;
  const time = windowOf(finding);
  const name = finding.region === null ? undefined : regionOf(finding.region)?.name;
  go(
    {
      highlight: name === undefined ? highlight : [name],
      selected: finding.select ?? null,
      ...(time && (hasCloser.value ? { closer: time } : { time })),
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
          title={`Show it. It costs ${percent(100 * finding.lost)} % of all ranks' time.`}
          onClick={() => show(finding)}
        >
          {finding.text.map((piece, i) => {
            const text = printable(piece.text, 400);
            const strong = piece.region !== undefined || piece.select !== undefined || piece.window !== undefined;
            // Pieces have no names; their order is what tells them apart.
            return strong ? <b key={`${i}`}>{text}</b> : <span key={`${i}`}>{text}</span>;
          })}
        </button>{" "}
        <span class="leads">
          {time && (
            <LinkButton title={timeWords(time)} onClick={() => go({ time }, "push")}>
              Zoom in
            </LinkButton>
          )}
          {ranks !== undefined && (
            <LinkButton title={`Ranks ${printable(ranks, 60)}`} onClick={() => go({ ranks }, "push")}>
              Only these ranks
            </LinkButton>
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
  const now = findings.answer.value;
  const found = now?.findings ?? [];
  const rest = found.length - FIRST;
  return (
    <Panel title="What stands out" testid="findings" busy={now === null}>
      <FirstSentence />
      {now !== null && now.findings.length === 0 && <p class="quiet">No known pattern costs much in this window.</p>}
      <ol class="findings">
        {found.slice(0, all.value ? undefined : FIRST).map((finding, i) => (
          <Sentence key={`${finding.kind}${i}`} finding={finding} number={i + 1} />
        ))}
      </ol>
      {rest > 0 && (
        <p class="foot">
          <LinkButton expanded={all.value} onClick={() => (all.value = !all.value)}>
            {all.value ? "fewer" : `${rest} more`}
          </LinkButton>
        </p>
      )}
      {(now?.notes ?? []).map((note) => (
        <p class="foot" key={note}>
          {printable(note, 400)}
        </p>
      ))}
    </Panel>
  );
}

/** What a stage mostly does, and how often it repeats itself. */
function stageWords({ mostly, share, rounds }: Stage): string {
  const what = `mostly ${printable(mostly)} (${percent(100 * share)} %)`;
  return rounds ? `${what}; ${formatCount(rounds.count)} rounds of ${formatDuration(Number(rounds.each_ns))}` : what;
}

function StageRow(props: { stage: Stage }) {
  const { stage } = props;
  const { rounds } = stage;
  const [from, to] = [Number(stage.start_ns), Number(stage.end_ns)];
  const name = printable(stage.name);
  const colour = stage.region === null ? null : regionColour(stage.region);
  return (
    <li class="row pick">
      <button
        type="button"
        class="name"
        data-testid="stage"
        title={`${name}, ${timeWords([from, to])}: ${stageWords(stage)}. Click to zoom in.`}
        onClick={() => go({ time: [from, to] }, "push")}
      >
        <span
          class={`sw ${colour === null ? "compute" : ""}`}
          style={colour === null ? undefined : { background: colour }}
        />
        <span class="label">{name}</span>
        <span class="length">
          {rounds
            ? `${formatCount(rounds.count)} × ${formatDuration(Number(rounds.each_ns))}`
            : formatDuration(to - from)}
        </span>
        <span class="n">{Math.round(100 * stage.efficiency)}</span>
      </button>
    </li>
  );
}

export function Stages() {
  const stages = findings.answer.value?.stages ?? [];
  if (stages.length < 2) return null;
  return (
    <Panel title="Stages" testid="stages" beside={<span>% {restName()}</span>}>
      <ul class="scroll">
        {stages.map((stage) => (
          <StageRow key={stage.start_ns} stage={stage} />
        ))}
      </ul>
    </Panel>
  );
}
