/** Parts that many questions to the server have in common. */
import { computed } from "@preact/signals";
import type { AnalysisName } from "../api/options";
import { analysis } from "./analyses";
import { hasSteps } from "./dock";
import { place } from "./history";
import { type Options, optionOf } from "./options";
import { rowAnalyses, rowParams } from "./row-list";

/** The parameters of a question; those that say nothing are left out. */
export function questionOf(fields: Record<string, string>): URLSearchParams {
  return new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ""));
}

/** The analyses that rows as they are asked for rest on. */
export function rowNeeds(): readonly AnalysisName[] {
  return rowAnalyses(place.value.options);
}

/** Whether rows can be as the options say: what they rest on is there. */
const areArranged = computed(() => rowNeeds().every((name) => analysis(name).ready.value !== null));

/** Whether rows stand for several ranks now, and have names. */
export const areFolded = computed(() => areArranged.value && optionOf(place.value.options, "fold") !== "none");

/** What scenes of rows are asked for instead: rows by rank until others can be had, and no more than decides them. */
export function rowsAdjusted(): Options {
  if (!areArranged.value) return { order: "rank", fold: "none", open: "" };
  return rowNeeds().includes("clusters") ? {} : { open: "" };
}

/** In which list of rows an answer counts: that of the filter, of main locations only beside steps, in its order. */
export function rowsQuestion(): Record<string, string> {
  const arranged = areArranged.value ? Object.fromEntries(rowParams(place.value.options)) : {};
  return { ...arranged, ranks: place.value.ranks, main: hasSteps.value ? "1" : "" };
}

/** Whether a scene that was asked for like this has the list of rows that the page has now. */
export function hasRowsOfNow(params: URLSearchParams): boolean {
  const now = rowsQuestion();
  return ["ranks", "main", "order", "fold", "members", "open"].every(
    (name) => (params.get(name) ?? "") === (now[name] ?? ""),
  );
}
