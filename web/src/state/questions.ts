/** Parts that many questions to the server have in common. */
import { hasSteps } from "./dock";
import { place } from "./history";

/** The parameters of a question; those that say nothing are left out. */
export function questionOf(fields: Record<string, string>): URLSearchParams {
  return new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ""));
}

/** In which list of rows an answer counts: that of the filter, of main locations only beside steps. */
export function rowsQuestion(): { ranks: string; main: string } {
  return { ranks: place.value.ranks, main: hasSteps.value ? "1" : "" };
}
