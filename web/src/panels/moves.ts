/** Moves that keys, buttons and commands share, so that they cannot come to differ. */
import type { Details } from "../api/types";
import {
  allSteps,
  aroundSteps,
  details,
  drawn,
  fetchPhase,
  fitAround,
  go,
  goCalls,
  goLogical,
  goTo,
  place,
  stepWindow,
  timeWindow,
  wholeRun,
  wholeTime,
} from "../state/state";
import { focusedPane, say } from "./ui";

export type Step = "previous" | "next" | "parent" | "child" | "partner";

export const STEPS: { step: Step; title: string; key: string; hint: string }[] = [
  { step: "previous", title: "Previous", key: "ArrowLeft", hint: "←" },
  { step: "next", title: "Next", key: "ArrowRight", hint: "→" },
  { step: "parent", title: "Caller", key: "ArrowUp", hint: "↑" },
  { step: "child", title: "Callee", key: "ArrowDown", hint: "↓" },
  { step: "partner", title: "Partner", key: "m", hint: "M" },
];

/** Goes from the selected span to a neighbour. False if there is none. */
export function step(which: Step, from: Details | null = details.value): boolean {
  const target = from?.[which];
  if (target) goTo(target);
  return target !== undefined;
}

/** Whether keys move steps rather than time: those of the pane that was last used. The other follows. */
function movesSteps(): boolean {
  const view = drawn.value.get(focusedPane.value ?? "")?.view;
  return view === "logical" || view === "metric";
}

/** Zooms about the middle of the window; below 1 goes nearer. */
export function zoom(factor: number): void {
  const [from, to] = movesSteps() ? stepWindow.value : timeWindow.value;
  const half = ((to - from) * factor) / 2;
  const middle = (from + to) / 2;
  // Cut at the ends rather than moved: zooming out must not drift.
  const end = movesSteps() ? (allSteps.value ?? to) : wholeTime.value[1];
  show([Math.max(middle - half, 0), Math.min(middle + half, end)]);
}

/** Moves the window by a share of its width. */
export function pan(share: number): void {
  const [from, to] = movesSteps() ? stepWindow.value : timeWindow.value;
  const by = (to - from) * share;
  show([from + by, to + by]);
}

function show(window: [number, number]): void {
  if (movesSteps()) goLogical({ steps: window }, "live");
  else go({ time: window }, "live");
}

/** The window about the selected span; without one, the whole run. */
export function fitSelection(): void {
  const span = details.value;
  if (!span) wholeRun();
  else go({ time: fitAround(Number(span.start_ns), Number(span.end_ns)) }, "push");
}

/** Clears the selection; without one, the brushed rectangle, the chosen phase; without that, the highlight. */
export function clear(): void {
  if (place.value.selected !== null) go({ selected: null }, "push");
  else if (place.value.logical.phase !== null) goLogical({ phase: null }, "push");
  else if (place.value.calls.brush !== null) goCalls({ brush: null }, "push");
  else if (place.value.highlight.length > 0) go({ highlight: [] }, "push");
}

/** Goes to the steps of a phase. */
export async function showPhase(phase: number): Promise<void> {
  const found = await fetchPhase(phase);
  if (found) goLogical({ phase, steps: aroundSteps(found.first_step, found.last_step) }, "push");
  else say(`There is no phase ${phase}.`);
}
