/** The phases of the run as a list: how late each was, and a click to go there. */
import { effect } from "@preact/signals";
import type { TargetedEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { formatSelection } from "../../../api/selection";
import type { Phase } from "../../../api/types";
import { formatCount, formatShort, plural, stepsText } from "../../../base/format";
import { timeWords } from "../../../pane/words";
import { aroundSteps, go, hasTree, place, tiedOptions, trace } from "../../../state/state";
import { Select, Toggle } from "../controls";
import { Panel, PickRow } from "../panel";
import { colourNow, toggleColour } from "./colour";
import { morePhases, PHASE_SORTS, type PhaseSort, phaseSort, phases } from "./data";
import { valueWords } from "./metric-words";

const SORT_WORDS: Record<PhaseSort, string> = {
  lateness: "latest first",
  total: "by total lateness",
  first: "in order",
  events: "most events",
  ranks: "most ranks",
};
/** The next page is asked for when so many pixels of the list are left. */
const NEAR_END = 200;

/** Numbers of so much leave no room for the word "steps" beside them. */
const LONG = 1000;

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
    `largest lateness ${valueWords(Number(phase.max_lateness_ns), "ns")}, total ${valueWords(Number(phase.total_lateness_ns), "ns")}`,
  ];
  if (phase.is_split) lines.push("Its collectives were split: they wait for each other in a circle.");
  return lines.join("\n");
}

/** Selects a phase and goes there; clusters in sight become those of the phase. */
function choose(phase: number, select: string, window: [number, number]): void {
  const steps = aroundSteps(window);
  const scope = hasTree.value ? { options: tiedOptions({ scope: `phase:${phase}` }) } : {};
  go({ ...scope, selected: select, steps }, "push");
}

function Row(props: { phase: Phase; sort: PhaseSort; isLong: boolean }) {
  const { phase, sort, isLong } = props;
  const select = formatSelection({ kind: "phase", number: phase.phase });
  const on = place.value.selected === select;
  const window: [number, number] = [phase.first_step, phase.last_step + 1];
  return (
    <PickRow
      on={on}
      class="phase"
      testid="phase"
      data={{ "data-phase": phase.phase }}
      title={titleOf(phase)}
      onClick={() => choose(phase.phase, select, window)}
    >
      <span>{formatCount(phase.phase)}</span>
      <span class="length label">
        {isLong ? "" : `${plural(window[1] - window[0], "step")} `}
        {stepsText(window)}
      </span>
      <span class="n">{numberOf(phase, sort)}</span>
    </PickRow>
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
  if (now === null) return null;
  const isLong = now.list.some(({ phase, last_step }) => phase >= LONG || last_step >= LONG);
  const onScroll = ({ currentTarget: { scrollTop, clientHeight, scrollHeight } }: TargetedEvent<HTMLUListElement>) => {
    if (scrollHeight - scrollTop - clientHeight < NEAR_END) morePhases().catch(() => {});
  };
  return (
    <Panel
      title="Phases"
      testid="phases"
      beside={
        <Select
          class="title sort"
          label="Order of phases"
          value={phaseSort.value}
          choices={PHASE_SORTS.map((one) => ({ value: one, label: SORT_WORDS[one] }))}
          onChange={(sort) => {
            phaseSort.value = sort;
          }}
        />
      }
    >
      <ul class="scroll phases" ref={list} onScroll={onScroll}>
        {now.list.map((phase) => (
          <Row key={phase.phase} phase={phase} sort={phaseSort.value} isLong={isLong} />
        ))}
      </ul>
      <p class="foot">
        <Toggle label="Colour by phase" on={colourNow() === "phase"} onChange={() => toggleColour("phase")} />
        <span class="n">
          {formatCount(now.total)} {plural(now.total, "phase")}
        </span>
      </p>
    </Panel>
  );
}
