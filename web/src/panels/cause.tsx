/** Why the selected call is late: the server's sentence, the way the lateness came, and where it arose. */
import type { CauseEvent, Piece } from "../api/types";
import { formatCount, printable } from "../base/format";
import { cause, causeProblem, go, goLogical, hasSteps, place, showSteps } from "../state/state";

/** Numbers with what they count stand out. */
const NUMBER = /(\d[\d,.]* (?:[nµm]?s|(?:other )?ranks?|steps?|messages?)\b)/;

function goThere(origin: CauseEvent): void {
  showSteps([origin.step, origin.step + 1], origin.row, { selected: origin.span });
}

/** Words that speak of a call lead to it. */
function Words(props: { piece: Piece; origin: CauseEvent | undefined }) {
  const { piece, origin } = props;
  const { span } = piece;
  const words = printable(piece.text, 400);
  if (span !== undefined)
    return (
      <button
        type="button"
        class="link"
        onClick={() => (origin?.span === span ? goThere(origin) : go({ selected: span }, "push"))}
      >
        {words}
      </button>
    );
  if (piece.ranks !== undefined || piece.region !== undefined) return <b>{words}</b>;
  // Pieces have no names; their order is what tells them apart.
  const parts = words.split(NUMBER).map((part, i) => (i % 2 === 1 ? <b key={`${i}`}>{part}</b> : part));
  return <span>{parts}</span>;
}

export function CausePanel() {
  const now = cause.value;
  const { selected, logical } = place.value;
  if (!hasSteps.value || selected === null || (now === null && causeProblem.value === null)) return null;
  const origin = now?.origin;
  return (
    <section aria-label="Why is it late?" data-testid="cause">
      <h2>Why is it late?</h2>
      <p class={`say ${origin ? "" : "calm"}`} data-testid="cause-text">
        {now
          ? now.text.map((piece, i) => <Words key={`${i}`} piece={piece} origin={origin} />)
          : printable(causeProblem.value ?? "", 400)}
      </p>
      {origin && (
        <p class="foot leads">
          <button
            type="button"
            class="link"
            aria-pressed={logical.path}
            title="Draw the way on which the lateness came, in all views"
            onClick={() => goLogical({ path: !logical.path }, "push")}
          >
            {logical.path ? "Hide the path" : "Show the path"}
          </button>
          <button
            type="button"
            class="link"
            title={`Select ${printable(origin.label)}`}
            onClick={() => goThere(origin)}
          >
            Go to step {formatCount(origin.step)}
          </button>
        </p>
      )}
    </section>
  );
}
