/** The shorter window of time that closer panes show, while other panes show where it lies. */
import { computed } from "@preact/signals";
import { closeUpOf } from "./close-up";
import { details } from "./details";
import { diagnosis, diagnosisTold, findingNow } from "./diagnosis";
import { hasDiagnosis } from "./dock";
import { findings } from "./findings";
import { place } from "./history";
import { rectangle } from "./rectangle";
import { fitAround } from "./reveal";
import { trace, wholeTime } from "./trace";

/** What stands out is shown closer by itself if it takes no more of the window; else it would hardly be closer. */
const CLOSER = 0.5;
/** Of a run with no more calls than this nothing need be left out. */
const FEW_CALLS = 2000;

const hasFewCalls = computed(() => {
  const regions = trace.value?.regions ?? [];
  const talk = regions.filter(({ communication }) => communication);
  const calls = (talk.length > 0 ? talk : regions).reduce((sum, { count }) => sum + Number(count), 0);
  return calls <= FEW_CALLS;
});

/**
 * Whether the page knows what it would show closer by itself. Until then closer panes wait: with a window of its own
 * choice they would jump as soon as what stands out is known.
 */
export const isCloserKnown = computed(() => {
  if (place.value.closer !== null || rectangle.value !== null) return true;
  const { answer, problem } = hasDiagnosis.value ? diagnosisTold : findings;
  const isLost = hasDiagnosis.value && ["none", "failed"].includes(diagnosis.state.value?.state ?? "");
  return answer.value !== null || problem.value !== null || isLost;
});

/** Where to look beside a diagnosis: at the finding that one looks at, else at the dearest. */
const closeUp = computed<[number, number] | null>(() => {
  const told = hasDiagnosis.value ? diagnosisTold.answer.value : null;
  const finding = findingNow.value ?? told?.findings[0];
  return told === null || finding === undefined ? null : closeUpOf(finding, told, wholeTime.value[1]);
});

/**
 * The window that somebody chose, else that of a finding, the brushed rectangle, the selected call, or what stands out most; without any of
 * them, a piece from the middle, or all if there is little. Always a part of the window that all panes show.
 */
export const closerWindow = computed<[number, number]>(() => {
  const whole = place.value.time ?? wholeTime.value;
  const length = whole[1] - whole[0];
  const inside = ([from, to]: [number, number]): [number, number] => [Math.max(from, whole[0]), Math.min(to, whole[1])];
  const fits = ([from, to]: [number, number]) => to - from < length && from < whole[1] && to > whole[0];
  const { start_ns, end_ns } = details.answer.value ?? {};
  const brushed = rectangle.value?.time;
  // What reaches out of the window would be cut.
  const found = (findings.answer.value?.findings ?? [])
    .flatMap(({ window }) => (window ? [[Number(window[0]), Number(window[1])] as const] : []))
    .filter(([from, to]) => from >= whole[0] && to <= whole[1])
    .map(([from, to]) => inside(fitAround(from, to)));
  const choices: ([number, number] | null | undefined)[] = [
    place.value.closer,
    closeUp.value && inside(closeUp.value),
    brushed && fitAround(brushed[0], brushed[1]),
    start_ns !== undefined && end_ns !== undefined ? inside(fitAround(Number(start_ns), Number(end_ns))) : null,
    found.find(([from, to]) => to - from <= length * CLOSER),
  ];
  // Something long that stands out is hardly closer, but whole: better than a piece of it.
  const chosen = choices.find((one) => one && fits(one)) ?? found.find(([from, to]) => from < to);
  if (chosen) return [Math.round(chosen[0]), Math.round(Math.max(chosen[1], chosen[0] + 10))];
  if (hasFewCalls.value) return [Math.round(whole[0]), Math.round(whole[1])];
  const from = Math.round(whole[0] + (length * 7) / 16);
  return [from, Math.max(Math.round(from + length / 8), from + 10)];
});
