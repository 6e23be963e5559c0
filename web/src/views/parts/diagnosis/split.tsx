/** Where the time of all ranks goes: useful and lost, and what it is lost to. */
import type { DiagnosisTold, SplitPart } from "../../../api/types";
import { printable } from "../../../base/format";
import { findingNow } from "../../../state/state";
import { findingOf } from "./data";
import { showFinding } from "./show";

const NAMES: Readonly<Record<SplitPart["kind"], string>> = {
  useful: "useful",
  finding: "finding",
  chance: "other waiting",
  communication: "communication",
  other: "other",
};

/** Shares of the bar from which on there is room for a number, and for a figure beside it. */
const ROOM = { number: 0.05, figure: 0.2, words: 0.24 } as const;

/** Shares below one would not fill a row that they do not add up to. */
export function grow(share: number): { flexGrow: number } {
  return { flexGrow: share * 1000 };
}

/** "18.8" of "18.8 %": the bar says what it is a share of. */
function figure({ text }: { text: string }): string {
  return printable(text.replace(/\s*%$/, ""), 12);
}

function Found(props: { part: SplitPart; of: number }) {
  const { part, of } = props;
  const finding = findingOf(part.finding);
  const share = of > 0 ? part.share / of : 0;
  const says = `${part.finding ?? ""}${share >= ROOM.figure ? `  ${figure(part)}` : ""}`;
  if (finding === null) return null;
  return (
    <button
      type="button"
      class="part finding"
      // The cards below do the same.
      tabIndex={-1}
      aria-pressed={findingNow.value === finding}
      aria-label={`Finding ${part.finding}: ${printable(part.text, 12)}`}
      title={`${printable(finding.title)}: ${printable(part.text, 12)} of the run`}
      style={grow(part.share)}
      onClick={() => showFinding(finding)}
    >
      {share >= ROOM.number ? says : ""}
    </button>
  );
}

export function Split(props: { told: DiagnosisTold }) {
  const { split, lost } = props.told;
  const useful = split.find(({ kind }) => kind === "useful");
  const parts = split.filter((part) => part.kind !== "useful" && Number.parseFloat(part.text) > 0);
  const others = parts.filter(({ kind }) => kind !== "finding");
  const kept = 1 - lost.share;
  if (useful === undefined) return null;
  return (
    <div class="split-bars" data-testid="split">
      <div class="bar-row">
        <span class="part useful" style={grow(kept)} title={`Useful: ${printable(useful.text, 12)} of the run`}>
          {kept >= ROOM.words ? `useful ${printable(useful.text, 12)}` : ""}
        </span>
        <span class="part lost" style={grow(lost.share)} title={`Lost: ${printable(lost.text, 12)} of the run`}>
          {lost.share >= ROOM.words ? `lost ${printable(lost.text, 12)}` : ""}
        </span>
      </div>
      {parts.length > 0 && (
        <>
          <div class="widens" aria-hidden="true" style={{ "--from": `${(kept * 100).toFixed(2)}%` }} />
          <div class="bar-row">
            {parts.map((part) =>
              part.kind === "finding" ? (
                <Found key={`${part.finding}`} part={part} of={lost.share} />
              ) : (
                <span
                  key={part.kind}
                  class={`part ${part.kind}`}
                  style={grow(part.share)}
                  title={`${NAMES[part.kind]}: ${printable(part.text, 12)} of the run`}
                />
              ),
            )}
          </div>
        </>
      )}
      <p class="split-key">
        {lost.share < ROOM.words && <span class="all">lost {printable(lost.text, 12)}</span>}
        {others.map((part) => (
          <span class="entry" key={part.kind}>
            <span class={`sw ${part.kind}`} />
            {NAMES[part.kind]} <b>{printable(part.text, 12)}</b>
          </span>
        ))}
      </p>
    </div>
  );
}
