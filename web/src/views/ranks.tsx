/** What each rank costs the others, and how it spends its own time. */
import { DIAGNOSIS } from "./parts/diagnosis/shared";
import { HeadParts } from "./parts/head";
import { AnalysisNotice } from "./parts/notice";
import type { View } from "./view";

function Sub() {
  return <HeadParts parts={["what each costs the others, and how it spends its own time"]} />;
}

function Controls() {
  return (
    <>
      {[
        ["makes", "makes wait"],
        ["waits", "waits"],
        ["own", "MPI itself"],
        ["useful", "useful"],
      ].map(([name, words]) => (
        <span class="lg" key={name}>
          <span class={`sw ${name}`} />
          {words}
        </span>
      ))}
    </>
  );
}

export const ranks: View = {
  ...DIAGNOSIS,
  name: "ranks",
  title: "Ranks",
  source: { view: "ranks" },
  nothing: "No ranks here.",
  Over: () => <AnalysisNotice name="diagnosis" brief />,
  Sub,
  Controls,
};
