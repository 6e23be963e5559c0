/** Why the selected call or event is late: the server's sentence, its path in the pictures, and where it arose. */
import type { CauseEvent, Piece } from "../../../api/types";
import { formatCount, printable } from "../../../base/format";
import { go, option, setOptions, showSteps } from "../../../state/state";
import { LinkButton } from "../controls";
import { Panel } from "../panel";
import { cause } from "./data";

/** Numbers with what they count stand out. */
const NUMBER = /(\d[\d,.]* (?:[nµm]?s|(?:other )?ranks?|steps?|messages?)\b)/;

function goThere(origin: CauseEvent): void {
  showSteps([origin.step, origin.step + 1], origin.row, { selected: origin.select });
}

/** Words that speak of a call lead to it. */
function Words(props: { piece: Piece; origin: CauseEvent | undefined }) {
  const { piece, origin } = props;
  const { select } = piece;
  const words = printable(piece.text, 400);
  if (select !== undefined)
    return (
      <LinkButton onClick={() => (origin?.select === select ? goThere(origin) : go({ selected: select }, "push"))}>
        {words}
      </LinkButton>
    );
  if (piece.ranks !== undefined || piece.region !== undefined) return <b>{words}</b>;
  // Pieces have no names; their order is what tells them apart.
  const parts = words.split(NUMBER).map((part, i) => (i % 2 === 1 ? <b key={`${i}`}>{part}</b> : part));
  return <span>{parts}</span>;
}

export function CausePanel() {
  const now = cause.answer.value;
  const problem = cause.problem.value;
  if (now === null && problem === null) return null;
  const origin = now?.origin;
  const isDrawn = option("cause");
  return (
    <Panel title="Why is it late?" testid="cause">
      <p class={`say ${origin ? "" : "calm"}`} data-testid="cause-text">
        {now
          ? now.text.map((piece, i) => <Words key={`${i}`} piece={piece} origin={origin} />)
          : printable(problem ?? "", 400)}
      </p>
      {origin && (
        <p class="foot leads">
          <LinkButton
            pressed={isDrawn}
            title="The path from the cause to this event, in all views"
            onClick={() => setOptions({ cause: !isDrawn })}
          >
            {isDrawn ? "Hide the cause" : "Show the cause"}
          </LinkButton>
          <LinkButton title={`Select ${printable(origin.label)}`} onClick={() => goThere(origin)}>
            Go to step {formatCount(origin.step)}
          </LinkButton>
        </p>
      )}
    </Panel>
  );
}
