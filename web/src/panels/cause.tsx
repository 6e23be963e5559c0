/** Why the selected call is late: the server's sentence, the way the lateness came, and where it arose. */
import type { Piece } from "../api/types";
import { formatCount, printable } from "../base/format";
import { cause, causeProblem, go, goLogical, hasSteps, place, showSteps } from "../state/state";

/** Words that speak of a call lead to it. */
function Words(props: { piece: Piece }) {
  const { text, span, ranks } = props.piece;
  const words = printable(text, 400);
  if (span !== undefined)
    return (
      <button type="button" class="link" onClick={() => go({ selected: span }, "push")}>
        {words}
      </button>
    );
  return ranks !== undefined || /^[\d,.]+ ?(?:[µmn]?s|ranks?|steps?|messages?)$/.test(words) ? (
    <b>{words}</b>
  ) : (
    <span>{words}</span>
  );
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
          ? now.text.map((piece, i) => <Words key={`${i}`} piece={piece} />)
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
            onClick={() => showSteps([origin.step, origin.step + 1], origin.row, { selected: origin.span })}
          >
            Go to step {formatCount(origin.step)}
          </button>
        </p>
      )}
    </section>
  );
}
