/** What is loaded because the place changed, whatever views there are: details of the selection, and shares of time. */
import { ANALYSES } from "../api/options";
import { kindOf } from "../api/selection";
import { analysis, summedBy } from "./analyses";
import { clusters, clustersParams } from "./clusters";
import { followed } from "./followed";
import { place } from "./history";
import { areStepsKnown, stepsParams } from "./logical";
import { paramsOf } from "./options";
import { isRectangle } from "./place";
import { questionOf, rowsQuestion } from "./questions";
import { theme } from "./theme";
import { regionIds, wholeTime } from "./trace";

/** Wheeling changes the window many times a second; the shares need not follow each. */
const PROFILE_QUIET_MS = 150;

/** What decides what links carry, besides the selection. */
function machineParams(): URLSearchParams {
  const params = paramsOf(place.value.options, [...ANALYSES.network, "direction"]);
  if (place.value.time) params.set("time", place.value.time.join(":"));
  return params;
}

/** What decides what is said of a message: its steps, and the machine that it travels through. */
function messageParams(): URLSearchParams {
  return new URLSearchParams([...stepsParams(), ...paramsOf(place.value.options, ANALYSES.network)]);
}

/** What decides which messages between ranks, or calls, are told: those of the window, without hidden functions. */
function windowParams(): URLSearchParams {
  const params = new URLSearchParams();
  const hidden = regionIds(place.value.hidden);
  if (place.value.time) params.set("time", place.value.time.join(":"));
  if (hidden.length > 0) params.set("hide", hidden.join(","));
  return params;
}

/** What decides what is said of a selection of some kind. */
function paramsFor(kind: ReturnType<typeof kindOf>): URLSearchParams {
  if (kind === "cluster") return clustersParams();
  if (kind === "message") return messageParams();
  if (kind === "messages" || kind === "calls") return windowParams();
  return kind === "nodes" || kind === "link" ? machineParams() : stepsParams();
}

/** The question for the details of a selection. */
export function detailsQuestion(select: string): URLSearchParams {
  const known = paramsFor(kindOf(select));
  return questionOf({ select, theme: theme.value, ...rowsQuestion(), ...Object.fromEntries(known) });
}

/** What is known of the selection. A brushed rectangle has a table of its own. */
export const details = followed("details", {
  question: () => {
    const { selected } = place.value;
    if (selected === null || isRectangle(selected)) return null;
    // What rests on sums is told once they are there.
    const sums = summedBy(kindOf(selected));
    return sums === null || analysis(sums).ready.value !== null ? detailsQuestion(selected) : null;
  },
  // Once the steps are there, there is more to say; of a cluster once clusters are.
  again: () => `${areStepsKnown.value} ${clusters.ready.value !== null} ${analysis("network").ready.value !== null}`,
});

export const profile = followed("profile", {
  question: () =>
    questionOf({
      time: (place.value.time ?? wholeTime.value).map(Math.round).join(":"),
      ranks: place.value.ranks,
    }),
  quietMs: PROFILE_QUIET_MS,
});
