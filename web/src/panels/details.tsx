/**
 * The right side: facts about the selected span, with links to what it is tied to; without a selection, how to use the page.
 */

import type { Fact, Details as Span } from "../api/types";
import { printable } from "../base/format";
import { details, detailsProblem, go, goTo, hasSteps, place, regionColour } from "../state/state";
import { fitSelection, STEPS, showPhase, step } from "./moves";
import { WarningWords } from "./warnings";

/** "16, 7": the phase leads to its steps. */
function StepAndPhase(props: { text: string }) {
  const [step = "", phase = ""] = props.text.split(", ");
  const number = Number(phase.replaceAll(",", ""));
  if (!hasSteps.value || phase === "" || !Number.isInteger(number)) return <>{props.text}</>;
  return (
    <>
      {step},{" "}
      <button
        type="button"
        class="link"
        title={`Go to phase ${phase}`}
        onClick={() => showPhase(number).catch(() => {})}
      >
        {phase}
      </button>
    </>
  );
}

function FactRow(props: { fact: Fact }) {
  const { label, text, target } = props.fact;
  const shown = printable(text, 400);
  return (
    <div class="fact-row" data-testid="details-fact">
      <dt>{printable(label)}</dt>
      <dd>
        {target ? (
          <button type="button" class="link" title={`Go to ${printable(target.label)}`} onClick={() => goTo(target)}>
            {shown}
          </button>
        ) : label === "Step, phase" ? (
          <StepAndPhase text={shown} />
        ) : (
          shown
        )}
      </dd>
    </div>
  );
}

function SelectedHead() {
  return (
    <h2>
      Selected
      <button
        type="button"
        class="link plain"
        title="Clear the selection (Esc)"
        onClick={() => go({ selected: null }, "push")}
      >
        clear
      </button>
    </h2>
  );
}

function Selected(props: { span: Span }) {
  const { span } = props;
  return (
    <section aria-label="Selected span">
      <SelectedHead />
      <p class="selected-title">
        <span class="sw" style={{ background: regionColour(span.region) ?? span.colour }} />
        <b>{printable(span.title)}</b>
      </p>
      <dl class="kv">
        {span.facts.map((fact, i) => (
          <FactRow key={`${fact.label}${i}`} fact={fact} />
        ))}
      </dl>
      {span.row === null && <p class="foot">The filter of ranks leaves its row out.</p>}
      <div class="steps">
        {STEPS.map(({ step: which, title, hint }) => {
          const target = span[which];
          return (
            <button
              key={which}
              type="button"
              class="button"
              disabled={!target}
              title={target ? `${title}: ${printable(target.label)}` : `No ${title.toLowerCase()}`}
              onClick={() => step(which)}
            >
              {title}{" "}
              <span class="key" aria-hidden="true">
                {hint}
              </span>
            </button>
          );
        })}
        <button type="button" class="button" title="Zoom to it" onClick={fitSelection}>
          Fit{" "}
          <span class="key" aria-hidden="true">
            F
          </span>
        </button>
      </div>
    </section>
  );
}

export const HANDS: [string, string][] = [
  ["Wheel", "zoom time at the pointer"],
  ["Alt-wheel", "zoom rows"],
  ["Drag", "move"],
  ["Shift-drag", "zoom to a range"],
  ["Alt-drag", "brush a rectangle of calls"],
  ["Double-click", "whole run"],
  ["Click", "select what is there"],
  ["On the strip", "drag the time window"],
];
const KEYS: [string, string][] = [
  ["W A S D", "zoom and move"],
  ["← →", "previous, next span"],
  ["↑ ↓", "caller, callee"],
  ["M", "along the message"],
  ["/", "search"],
  ["Ctrl K", "all commands"],
  ["?", "all keys"],
];

function Hints(props: { title: string; lines: [string, string][] }) {
  return (
    <section aria-label={props.title}>
      <h2>{props.title}</h2>
      <dl class="kv">
        {props.lines.map(([what, does]) => (
          <div class="fact-row" key={what}>
            <dt>{what}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function DetailsPanel() {
  const span = details.value;
  const { selected, calls } = place.value;
  const hints = selected === null && calls.brush === null;
  return (
    <div data-testid="details">
      {detailsProblem.value !== null && (
        <section aria-label="Selected span">
          <SelectedHead />
          <p class="say">{printable(detailsProblem.value, 400)}</p>
        </section>
      )}
      {selected !== null && span && <Selected span={span} />}
      {selected === null && <WarningWords />}
      {hints && <Hints title="Hands" lines={HANDS} />}
      {hints && <Hints title="Keys" lines={KEYS} />}
    </div>
  );
}
