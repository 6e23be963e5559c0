/** The right side: facts about the selection, whatever it is, with links to what it is tied to. */
import { kindOf } from "../api/selection";
import type { Details, Fact } from "../api/types";
import { printable } from "../base/format";
import {
  details,
  fitAround,
  fitSelection,
  go,
  goTo,
  place,
  regionColour,
  showSelection,
  specOf,
  viewsInSight,
} from "../state/state";
import { LinkButton } from "../views/parts/controls";
import { Panel } from "../views/parts/panel";
import { inSight } from "../views/registry";
import { CoursesPlot } from "./courses";
import { STEPS, step, wordsOf } from "./moves";

function FactText(props: { fact: Fact }) {
  const { text, target, select } = props.fact;
  const shown = printable(text, 400);
  if (target)
    return (
      <LinkButton title={`Go to ${printable(target.label)}`} onClick={() => goTo(target)}>
        {shown}
      </LinkButton>
    );
  if (select !== undefined)
    return (
      <LinkButton title="Go there" onClick={() => void showSelection(select)}>
        {shown}
      </LinkButton>
    );
  return <>{shown}</>;
}

function FactRow(props: { fact: Fact }) {
  return (
    <div class="fact-row" data-testid="details-fact">
      <dt>{printable(props.fact.label)}</dt>
      <dd>
        <FactText fact={props.fact} />
      </dd>
    </div>
  );
}

const ClearLink = () => (
  <LinkButton plain title="Clear the selection (Esc)" onClick={() => go({ selected: null }, "push")}>
    clear
  </LinkButton>
);

/** The timeline about something that happened. */
function showInTime({ start_ns, end_ns, rows }: Details): void {
  const time = fitAround(Number(start_ns), Number(end_ns ?? start_ns));
  go({ layout: "timeline", time, ...(rows && place.value.rows && { rows }) }, "push");
}

/** Neighbours by buttons, for kinds that have any; and the way to look at the selection alone. */
function Moves(props: { known: Details }) {
  const { known } = props;
  // Beside pictures of a machine there may be none of time.
  const isInTime = viewsInSight.value.some((view) => ["time", "steps"].includes(specOf(view).x));
  const hasNeighbours = known.kind === "span" || STEPS.some(({ step: which }) => known[which] !== undefined);
  const button = (title: string, hint: string, help: string, isThere: boolean, run: () => void) => (
    <button key={hint} type="button" class="button" disabled={!isThere} title={help} onClick={run}>
      {title}{" "}
      <span class="key" aria-hidden="true">
        {hint}
      </span>
    </button>
  );
  return (
    <div class="steps">
      {hasNeighbours &&
        STEPS.map((move) => {
          const { step: which, hint } = move;
          const words = wordsOf(move, known.kind);
          if (words === null) return null;
          const { title, none } = words;
          const target = known[which];
          const help = target ? `${title}: ${printable(target.label)}` : none;
          return button(title, hint, help, target !== undefined, () => step(which));
        })}
      {button("Fit", "F", "Zoom to it", true, fitSelection)}
      {!isInTime && known.start_ns !== undefined && (
        <button type="button" class="button" title="Show when it happened" onClick={() => showInTime(known)}>
          Timeline
        </button>
      )}
    </div>
  );
}

/** Kinds that lie in rows: if the server names none, a filter keeps them out. */
const HAVE_ROWS: readonly Details["kind"][] = ["span", "event", "ranks", "messages", "calls"];

function Selected(props: { known: Details }) {
  const { known } = props;
  const colour = (known.region === undefined ? null : regionColour(known.region)) ?? known.colour;
  return (
    <Panel title="Selected" label={`Selected ${known.kind}`} testid={`${known.kind}-facts`} beside={<ClearLink />}>
      <p class="selected-title">
        {colour !== undefined && <span class="sw" style={{ background: colour }} />}
        <b>{printable(known.title)}</b>
      </p>
      <dl class="kv">
        {known.facts.map((fact, i) => (
          <FactRow key={`${fact.label}${i}`} fact={fact} />
        ))}
      </dl>
      {known.courses && <CoursesPlot courses={known.courses} />}
      {known.sentences && (
        <p class="sentences" data-testid="sentences">
          {printable(known.sentences.join(" "), 2000)}
        </p>
      )}
      {known.rows === null && HAVE_ROWS.includes(known.kind) && <p class="foot">Hidden by the rank filter.</p>}
      <Moves known={known} />
    </Panel>
  );
}

export function DetailsPanel() {
  const known = details.answer.value;
  const problem = details.problem.value;
  const isNothing = place.value.selected === null;
  const kind = kindOf(place.value.selected);
  // Views with panels of their own for what is selected say it there.
  if (kind !== null && inSight().some(({ tells }) => tells?.includes(kind) ?? false)) return null;
  return (
    <div data-testid="details">
      {problem !== null && (
        <Panel title="Selected" beside={<ClearLink />}>
          <p class="say">{printable(problem, 400)}</p>
        </Panel>
      )}
      {!isNothing && known && <Selected known={known} />}
      {isNothing && (
        <p class="details-hint">
          Click on something to see what is known of it, or search with <kbd>/</kbd>. <kbd>?</kbd> lists all keys.
        </p>
      )}
    </div>
  );
}
