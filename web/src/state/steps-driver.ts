/**
 * Time and steps are two windows on the same run: whoever is moved drives, and the other follows.
 *
 * Only the server knows which steps are when, so the follower comes a moment later (`steps-time.ts`). This is the part without
 * a server: which of them drives after a change. A window that follows never drives, so nothing is echoed.
 */
import { decidingOptions, paramsOf } from "./options";
import type { Place, PlaceWindow } from "./place";
import { showsSteps } from "./views";

export type Driver = "time" | "steps";

/** The options that decide what steps there are, as one text, to tell them apart. */
function stepsKey({ options }: Place): string {
  return paramsOf(options, decidingOptions("logical")).toString();
}

function isSame(a: PlaceWindow, b: PlaceWindow): boolean {
  return a?.[0] === b?.[0] && a?.[1] === b?.[1];
}

/**
 * The place after a change, and who drives from then on: null if both windows are said, undefined if neither has moved.
 */
export function driven(before: Place, next: Place): { next: Place; moved: Driver | null | undefined } {
  const forgetful = (): Place => ({ ...next, steps: null });
  if (!showsSteps(next.layout)) {
    // Nobody sees the steps; they are asked for again when somebody does.
    return isSame(before.time, next.time) ? { next, moved: undefined } : { next: forgetful(), moved: null };
  }
  const hasTimeMoved = !isSame(before.time, next.time);
  const haveStepsMoved = !isSame(before.steps, next.steps);
  // Other options make other steps of the same time, as another trace does; but steps that come with it are meant.
  const areOthers = before.trace !== next.trace || stepsKey(before) !== stepsKey(next);
  if (areOthers && !(haveStepsMoved && next.steps !== null))
    return { next: forgetful(), moved: next.time === null ? null : "time" };
  const isWhole = next.time === null && next.steps === null;
  if ((hasTimeMoved && haveStepsMoved) || (haveStepsMoved && isWhole)) return { next, moved: null };
  // The whole run has all steps; all steps need not take the whole run.
  if (hasTimeMoved) return next.time === null ? { next: forgetful(), moved: null } : { next, moved: "time" };
  if (haveStepsMoved) return { next, moved: "steps" };
  return { next, moved: showsSteps(before.layout) ? undefined : loose(next) };
}

/** Who drives in a place that one comes to by a link: the window that is said if the other is not. */
export function loose({ layout, time, steps }: Place): Driver | null {
  if (!showsSteps(layout) || (time === null) === (steps === null)) return null;
  return time === null ? "steps" : "time";
}
