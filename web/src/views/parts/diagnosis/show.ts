/** From a finding to the picture that shows it: its time, its ranks, and the layout that has both. */
import type { DiagnosisTold, FindingTold } from "../../../api/types";
import { rankOfRow, rowOfRank } from "../../../base/ranks";
import {
  closeUpOf,
  diagnosisTold,
  go,
  hasDiagnosis,
  type Place,
  place,
  say,
  selectionOf,
  tiedOptions,
  timeAround,
  wholeTime,
} from "../../../state/state";

export const DIAGNOSIS_LAYOUT = "diagnosis";

/** Whether a filter of ranks lets all of some ranks through. */
function lets(filter: string, ranks: string): boolean {
  return ranks.split(",").every((part) => {
    const [from = "", to = from] = part.split("-");
    const count = Number(to) - Number(from) + 1;
    const first = rowOfRank(filter, Number(from));
    return rowOfRank(filter, Number(to) + 1) - first === count && rankOfRow(filter, first) === Number(from);
  });
}

/** What changes so that a finding is in sight: nothing may hide who it is about. */
export function placeOf(
  finding: FindingTold,
  told: Pick<DiagnosisTold, "path">,
  now: Pick<Place, "ranks" | "hidden">,
  end: number,
): Partial<Place> {
  const { ranks, function_name: name } = finding;
  const closer = closeUpOf(finding, told, end);
  return {
    time: timeAround(closer, end),
    closer,
    rows: null,
    columns: null,
    selected: selectionOf(finding),
    ranks: ranks === null || lets(now.ranks, ranks) ? now.ranks : "",
    hidden: now.hidden.filter((one) => one !== name),
  };
}

/** The same for the place that the page shows; nothing while nothing is known. */
export function placeLike(finding: FindingTold): Partial<Place> {
  const told = diagnosisTold.answer.value;
  return told === null ? {} : placeOf(finding, told, place.value, wholeTime.value[1]);
}

/** Shows a finding, in the layout Diagnosis unless the page is about it already; what else changes with it may be said. */
export function showFinding(finding: FindingTold, change: Partial<Place> = {}): void {
  const layout = hasDiagnosis.value ? {} : { layout: DIAGNOSIS_LAYOUT };
  go({ ...placeLike(finding), ...layout, ...change }, "push");
}

/** Shows the finding of a number, from 1; says so if there is none. */
export function showNumber(number: number): void {
  const finding = diagnosisTold.answer.value?.findings[number - 1];
  if (finding === undefined) say(`There is no finding ${number}.`);
  else showFinding(finding);
}

/** The layout Diagnosis, with the dearest finding in sight if there is one. */
export function showDiagnosis(): void {
  const first = diagnosisTold.answer.value?.findings[0];
  if (first === undefined) go({ layout: DIAGNOSIS_LAYOUT }, "push");
  else showFinding(first);
}

/** A finding with the path that leads through it: all that is not on it recedes. */
export function showPath(finding: FindingTold): void {
  showFinding(finding, { options: tiedOptions({ colour: "path", path: "" }) });
}
