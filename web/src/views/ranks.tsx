/** What each rank costs the others, and how it spends its own time. */
import { BlameKey } from "./parts/diagnosis/key";
import { DIAGNOSIS } from "./parts/diagnosis/shared";
import { HeadParts } from "./parts/head";
import { AnalysisNotice } from "./parts/notice";
import type { View } from "./view";

function Sub() {
  return <HeadParts parts={["what each costs the others, and how it spends its own time"]} />;
}

export const ranks: View = {
  ...DIAGNOSIS,
  name: "ranks",
  title: "Ranks",
  source: { view: "ranks" },
  nothing: "No ranks here.",
  Over: () => <AnalysisNotice name="diagnosis" brief />,
  Sub,
  Controls: () => <BlameKey />,
};
