/**
 * Time and steps are two windows on the same run: whoever is moved drives, and the other follows.
 *
 * Only the server knows which steps are when, so the follower comes a moment later (`link.ts`). This is the part without
 * a server: which of them drives after a change. A window that follows never drives, so nothing is echoed.
 */
import { encodeOptions, type LogicalOptions, showsSteps } from "./logical-place";
import type { Place } from "./place";

export type Driver = "time" | "steps";

/** The options as one text, to tell them apart. */
export function optionsKey(options: LogicalOptions): string {
  const params = new URLSearchParams();
  encodeOptions(options, (key, value) => params.set(key, value));
  return params.toString();
}

function isSame(a: readonly number[] | null, b: readonly number[] | null): boolean {
  return a?.[0] === b?.[0] && a?.[1] === b?.[1];
}

/**
 * The place after a change, and who drives from then on: null if both windows are said, undefined if neither has moved.
 */
export function linked(before: Place, next: Place): { next: Place; moved: Driver | null | undefined } {
  const apart = (steps: [number, number] | null): Place => ({ ...next, logical: { ...next.logical, steps } });
  if (!showsSteps(next.layout)) {
    // Nobody sees the steps; they are asked for again when somebody does.
    return isSame(before.time, next.time) ? { next, moved: undefined } : { next: apart(null), moved: null };
  }
  const isOther =
    before.trace !== next.trace || optionsKey(before.logical.options) !== optionsKey(next.logical.options);
  // Other options make other steps of the same time.
  if (isOther) return { next: apart(null), moved: next.time === null ? null : "time" };
  const hasTimeMoved = !isSame(before.time, next.time);
  const haveStepsMoved = !isSame(before.logical.steps, next.logical.steps);
  const isWhole = next.time === null && next.logical.steps === null;
  if ((hasTimeMoved && haveStepsMoved) || (haveStepsMoved && isWhole)) return { next, moved: null };
  // The whole run has all steps; all steps need not take the whole run.
  if (hasTimeMoved) return next.time === null ? { next: apart(null), moved: null } : { next, moved: "time" };
  if (haveStepsMoved) return { next, moved: "steps" };
  return { next, moved: showsSteps(before.layout) ? undefined : loose(next) };
}

/** Who drives in a place that one comes to by a link: the window that is said if the other is not. */
export function loose({ layout, time, logical }: Place): Driver | null {
  if (!showsSteps(layout) || (time === null) === (logical.steps === null)) return null;
  return time === null ? "steps" : "time";
}
