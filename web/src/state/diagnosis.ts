/**
 * What is wrong with the run, in the server's words, and the finding that one looks at. It is about the whole run, whatever
 * the window is; how well time is used is asked for the window too.
 */
import { computed } from "@preact/signals";
import type { Selection } from "../api/selection";
import type { DiagnosisTold, FindingTold } from "../api/types";
import { analysis } from "./analyses";
import { closeUpOf } from "./close-up";
import { followed } from "./followed";
import { place } from "./history";
import { questionOf } from "./questions";
import { wholeTime } from "./trace";

export const diagnosis = analysis("diagnosis");

/** Views that speak of it load it. */
export const diagnosisTold = followed("diagnosis", {
  question: () => (diagnosis.ready.value === null ? null : questionOf({})),
  onDemand: true,
});

/** Follows the brush while it moves. */
export const efficiency = followed("efficiency", {
  question: () => {
    const { time } = place.value;
    return diagnosis.ready.value === null ? null : questionOf({ time: time === null ? "" : time.join(":") });
  },
  live: true,
  onDemand: true,
});

/** What stands for a finding everywhere on the page: the call that shows it best, its ranks, or its function. */
export function selectionOf({ select, ranks, function_name: name }: FindingTold): Selection | null {
  return select ?? (ranks !== null ? `ranks:${ranks}` : name !== null ? `function:${name}` : null);
}

/** The finding among some that a place shows: by its close-up, if several have the same ranks. */
export function findingIn(
  told: DiagnosisTold,
  { selected, closer }: { selected: Selection | null; closer: readonly [number, number] | null },
  end: number,
): FindingTold | null {
  const isSelected = (one: FindingTold) => selectionOf(one) === selected;
  const isClose = (one: FindingTold) => closeUpOf(one, told, end).join() === closer?.join();
  const chosen = told.findings.filter(isSelected);
  const found = chosen.find(isClose) ?? (selected === null ? undefined : chosen[0]);
  return found ?? null;
}

/** The finding that one looks at. */
export const findingNow = computed<FindingTold | null>(() => {
  const now = diagnosisTold.answer.value;
  return now === null ? null : findingIn(now, place.value, wholeTime.value[1]);
});
