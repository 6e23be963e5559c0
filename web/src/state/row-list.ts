/** Which list of rows options ask for: its order, what a row stands for, and what that rests on. Pure. */
import { ANALYSES, type AnalysisName, type OptionName } from "../api/options";
import { type Options, optionOf, paramsOf } from "./options";

const OWN: readonly OptionName[] = ["order", "fold", "members"];

/** The analyses that rows rest on. */
export function rowAnalyses(options: Options): readonly AnalysisName[] {
  const [order, fold] = [optionOf(options, "order"), optionOf(options, "fold")];
  if (order === "cluster" || fold === "cluster") return ["clusters"];
  if (fold === "path") return ["diagnosis"];
  return order === "lateness" ? ["logical"] : [];
}

/** All options that decide which rows there are, as a question says them; none for one row per rank, by rank. */
export function rowParams(options: Options): URLSearchParams {
  const decide = rowAnalyses(options).flatMap((name) =>
    name === "clusters" ? [...ANALYSES[name], "open" as const] : ANALYSES[name],
  );
  return paramsOf(options, [...OWN, ...decide]);
}
