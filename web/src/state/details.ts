/** What is loaded because the place changed, whatever views there are: details of the selection, and shares of time. */
import { kindOf } from "../api/selection";
import { clusters, clustersParams } from "./clusters";
import { followed } from "./followed";
import { place } from "./history";
import { areStepsKnown, stepsParams } from "./logical";
import { questionOf, rowsQuestion } from "./questions";
import { theme } from "./theme";
import { wholeTime } from "./trace";

/** Wheeling changes the window many times a second; the shares need not follow each. */
const PROFILE_QUIET_MS = 150;

/** The question for the details of a selection. */
export function detailsQuestion(select: string): URLSearchParams {
  const known = kindOf(select) === "cluster" ? clustersParams() : stepsParams();
  return questionOf({ select, theme: theme.value, ...rowsQuestion(), ...Object.fromEntries(known) });
}

/** What is known of the selection. A window of calls has a table of its own. */
export const details = followed("details", {
  question: () => {
    const { selected } = place.value;
    return selected === null || kindOf(selected) === "window" ? null : detailsQuestion(selected);
  },
  // Once the steps are there, there is more to say; of a cluster once clusters are.
  again: () => `${areStepsKnown.value} ${clusters.ready.value !== null}`,
});

export const profile = followed("profile", {
  question: () =>
    questionOf({
      time: (place.value.time ?? wholeTime.value).map(Math.round).join(":"),
      ranks: place.value.ranks,
    }),
  quietMs: PROFILE_QUIET_MS,
});
