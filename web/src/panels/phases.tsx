/** The phases of the run as a list: how late each was, and a click to go there. */
import { effect } from "@preact/signals";
import type { TargetedEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Phase } from "../api/types";
import { formatCount, formatShort, stepsText } from "../base/format";
import { timeWords } from "../pane/words";
import {
  aroundSteps,
  chosenPhase,
  goLogical,
  hasSteps,
  morePhases,
  PHASE_SORTS,
  type PhaseSort,
  phaseSort,
  phases,
  place,
  timelineColour,
  trace,
} from "../state/state";
import { valueWords } from "../views/metric-words";

const SORT_WORDS: Record<PhaseSort, string> = {
  lateness: "latest first",
  total: "by total lateness",
  first: "in order",
  events: "most events",
  ranks: "most ranks",
};
/** The next page is asked for when so many pixels of the list are left. */
const NEAR_END = 200;

/** The number that the list is sorted by stands beside each phase. */
function numberOf(phase: Phase, sort: PhaseSort): string {
  if (sort === "events") return formatShort(Number(phase.events));
  if (sort === "ranks") return formatCount(phase.ranks);
  return valueWords(Number(sort === "total" ? phase.total_lateness_ns : phase.max_lateness_ns), "ns");
}

function titleOf(phase: Phase): string {
  const [steps, ranks] = [stepsText([phase.first_step, phase.last_step + 1]), formatCount(phase.ranks)];
  const lines = [
    `Phase ${phase.phase}: steps ${steps}, ${timeWords([Number(phase.start_ns), Number(phase.end_ns)])}`,
    `${formatCount(phase.events)} events on ${ranks} of ${formatCount(trace.value?.ranks ?? 0)} ranks`,
    `largest lateness ${valueWords(Number(phase.max_lateness_ns), "ns")}, in total ${valueWords(Number(phase.total_lateness_ns), "ns")}`,
  ];
  if (phase.is_split) lines.push("Collectives of it were taken apart: they wait for each other in a circle.");
  return lines.join("\n");
}

function Row(props: { phase: Phase; sort: PhaseSort }) {
  const { phase, sort } = props;
  const on = place.value.logical.phase === phase.phase;
  const steps = stepsText([phase.first_step, phase.last_step + 1]);
  return (
    <li class={`row pick ${on ? "on" : ""}`}>
      <button
        type="button"
        class="name phase"
        data-testid="phase"
        data-phase={phase.phase}
        aria-pressed={on}
        title={titleOf(phase)}
        onClick={() => goLogical({ phase: phase.phase, steps: aroundSteps(phase.first_step, phase.last_step) }, "push")}
      >
        <span>Phase {formatCount(phase.phase)}</span>
        <span class="length label">
          {phase.first_step === phase.last_step ? "step" : "steps"} {steps}
        </span>
        <span class="n">{numberOf(phase, sort)}</span>
      </button>
    </li>
  );
}

export function PhasesPanel() {
  const list = useRef<HTMLUListElement>(null);
  // Another order begins at its top.
  useEffect(
    () =>
      effect(() => {
        void phaseSort.value;
        list.current?.scrollTo(0, 0);
      }),
    [],
  );
  const now = phases.value;
  if (!hasSteps.value || now === null) return null;
  const onScroll = ({ currentTarget: { scrollTop, clientHeight, scrollHeight } }: TargetedEvent<HTMLUListElement>) => {
    if (scrollHeight - scrollTop - clientHeight < NEAR_END) morePhases().catch(() => {});
  };
  const isColoured = timelineColour.value === "phase";
  return (
    <section aria-label="Phases" data-testid="phases">
      <h2>
        Phases
        <select
          class="title sort"
          aria-label="Order of phases"
          value={phaseSort.value}
          onChange={(event) => {
            const { value } = event.currentTarget;
            phaseSort.value = PHASE_SORTS.find((one) => one === value) ?? "lateness";
          }}
        >
          {PHASE_SORTS.map((one) => (
            <option key={one} value={one}>
              {SORT_WORDS[one]}
            </option>
          ))}
        </select>
      </h2>
      <ul class="scroll phases" ref={list} onScroll={onScroll}>
        {now.list.map((phase) => (
          <Row key={phase.phase} phase={phase} sort={phaseSort.value} />
        ))}
      </ul>
      <p class="foot">
        <label class="toggle">
          <input
            type="checkbox"
            checked={isColoured}
            onChange={() => goLogical({ colour: isColoured ? null : "phase" }, "push")}
          />
          Colour by phase
        </label>
        <span class="n">{now.total === 1 ? "1 phase" : `${formatCount(now.total)} phases`}</span>
      </p>
    </section>
  );
}

/** The chosen phase, for the right side. */
export function PhasePanel() {
  const phase = chosenPhase.value;
  if (!hasSteps.value || phase === null) return null;
  const facts: [string, string][] = [
    ["Steps", stepsText([phase.first_step, phase.last_step + 1])],
    ["Time", timeWords([Number(phase.start_ns), Number(phase.end_ns)])],
    ["Ranks", `${formatCount(phase.ranks)} of ${formatCount(trace.value?.ranks ?? phase.ranks)}`],
    ["Events", formatCount(phase.events)],
    ["Lateness", `at most ${valueWords(Number(phase.max_lateness_ns), "ns")}`],
    ["In total", valueWords(Number(phase.total_lateness_ns), "ns")],
  ];
  return (
    <section aria-label="Phase" data-testid="phase-facts">
      <h2>
        Phase {formatCount(phase.phase)}
        <button type="button" class="link plain" onClick={() => goLogical({ phase: null }, "push")}>
          clear
        </button>
      </h2>
      <dl class="kv">
        {facts.map(([label, text]) => (
          <div class="fact-row" key={label}>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {phase.is_split && (
        <p class="foot">Collectives of this phase were taken apart: they wait for each other in a circle.</p>
      )}
    </section>
  );
}
