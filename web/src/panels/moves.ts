/** Moves that keys, buttons and commands share, so that they cannot come to differ. */
import { details, focusedAxis, goTo, goWindow, isWhole, type WindowName, wholeOf, windowOf } from "../state/state";

export type Step = "previous" | "next" | "parent" | "child" | "partner";

export const STEPS: { step: Step; title: string; none: string; key: string; hint: string }[] = [
  { step: "previous", title: "Previous", none: "There is no previous call here.", key: "ArrowLeft", hint: "←" },
  { step: "next", title: "Next", none: "There is no next call here.", key: "ArrowRight", hint: "→" },
  { step: "parent", title: "Caller", none: "It has no caller.", key: "ArrowUp", hint: "↑" },
  { step: "child", title: "Callee", none: "It calls nothing.", key: "ArrowDown", hint: "↓" },
  { step: "partner", title: "Partner", none: "It has no message to follow.", key: "m", hint: "M" },
];

/** What the moves from a cluster are called: up and down its hierarchy. */
const OF_CLUSTERS: Partial<Record<Step, { title: string; none: string }>> = {
  previous: { title: "Upper", none: "There is no cluster above it in the one around it." },
  next: { title: "Lower", none: "There is no cluster below it in the one around it." },
  parent: { title: "Around", none: "No cluster holds it." },
  child: { title: "Inside", none: "It holds no other cluster." },
};

/** The words for a move from something of a kind; null if such things have no such move. */
export function wordsOf({ step: which, title, none }: (typeof STEPS)[number], kind: string | undefined) {
  return kind === "cluster" ? (OF_CLUSTERS[which] ?? null) : { title, none };
}

/** Goes from the selection to a neighbour. False if there is none. */
export function step(which: Step): boolean {
  const target = details.answer.value?.[which];
  if (target) goTo(target);
  return target !== undefined;
}

/** Zooms about the middle of the window of the pane that was last used; below 1 goes nearer. */
export function zoom(factor: number): void {
  const axis = focusedAxis();
  // The two directions of a plane have one scale.
  const axes: WindowName[] = axis === "across" ? ["across", "down"] : [axis];
  for (const one of axes) zoomAlong(one, factor);
}

function zoomAlong(axis: WindowName, factor: number): void {
  const [[from, to], [least, most]] = [windowOf(axis), wholeOf(axis)];
  const length = to - from;
  // Whole columns are taken in or left out one by one at least.
  const apart = factor < 1 ? Math.min(length * factor, length - 1) : Math.max(length * factor, length + 1);
  const half = (isWhole(axis) ? Math.max(apart, 1) : length * factor) / 2;
  const middle = (from + to) / 2;
  // Cut at the ends rather than moved: zooming out must not drift.
  goWindow(axis, [Math.max(middle - half, least), Math.min(middle + half, most)], "live");
}

/** Moves that window by a share of its width. */
export function pan(share: number): void {
  const axis = focusedAxis();
  const [from, to] = windowOf(axis);
  const part = (to - from) * share;
  const by = isWhole(axis) ? Math.sign(share) * Math.max(Math.round(Math.abs(part)), 1) : part;
  goWindow(axis, [from + by, to + by], "live");
}
