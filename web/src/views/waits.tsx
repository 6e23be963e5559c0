/** The timeline beside a diagnosis: who waits, who makes others wait, and the critical path; and a closer look at a finding. */
import { timeWords, windowWords } from "../pane/words";
import {
  acrossIn,
  closerWindow,
  drawn,
  findingNow,
  go,
  place,
  rowNeeds,
  rowsAdjusted,
  setOptions,
} from "../state/state";
import { closerMark } from "./parts/calls/marks";
import { helpOf, LinkButton, Select, Toggle } from "./parts/controls";
import { COLOUR_WORDS, COLOURS, type Extra, isShown, toggleExtra, waitColour } from "./parts/diagnosis/data";
import { BlameKey } from "./parts/diagnosis/key";
import { DIAGNOSIS } from "./parts/diagnosis/shared";
import { DIAGNOSIS_LAYOUT } from "./parts/diagnosis/show";
import { HeadParts } from "./parts/head";
import { AnalysisNotice } from "./parts/notice";
import { RowsPanel } from "./parts/rows";
import type { View } from "./view";

const EXTRAS: readonly [name: Extra, label: string][] = [
  ["path", "Critical path"],
  ["magnify", "Magnify findings"],
];

function Sub(props: { pane: string }) {
  return <HeadParts window={acrossIn(props.pane, waits)} parts={windowWords(props.pane, waits, "rows")} />;
}

function Controls() {
  return (
    <>
      <span class="choice" title={helpOf("colour")}>
        Colour:
        <Select
          class="title"
          label="Colour"
          value={waitColour()}
          choices={COLOURS.map((value) => ({ value, label: COLOUR_WORDS[value] }))}
          onChange={(colour) => setOptions({ colour: colour === "waits" ? "" : colour })}
        />
      </span>
      {EXTRAS.map(([name, label]) => (
        <Toggle
          key={name}
          class={name}
          label={label}
          title={helpOf(name)}
          on={isShown(name)}
          onChange={() => toggleExtra(name)}
        />
      ))}
    </>
  );
}

export const waits: View = {
  ...DIAGNOSIS,
  name: "waits",
  title: "Timeline of waits",
  about: "One row per rank: who waits, who makes others wait, and the critical path.",
  source: { view: "timeline", adjust: () => ({ ...rowsAdjusted(), colour: waitColour() }) },
  layouts: [
    {
      name: DIAGNOSIS_LAYOUT,
      title: "Diagnosis",
      text: "1c(500waits,275closeup,225ranks)",
      isFor: ({ ranks }) => ranks > 1,
    },
  ],
  needs: () => [...DIAGNOSIS.needs(), ...rowNeeds()],
  panels: { ...DIAGNOSIS.panels, functions: [RowsPanel] },
  marks: (picture) => ({ stretch: closerMark(picture) }),
  nothing: "No calls here.",
  Sub,
  saysWindow: true,
  Controls,
};

/** The window, the finding, and which rows there are, as the picture says. */
function CloseSub(props: { pane: string }) {
  const finding = findingNow.value;
  const rows = drawn.value.get(props.pane)?.notes.find((note) => note.startsWith(ROWS_ARE));
  const about = finding === null ? [] : [`finding ${finding.number}`];
  const which = rows === undefined ? [] : [rows.slice(ROWS_ARE.length).replace(/\.$/, "")];
  return <HeadParts parts={[timeWords(closerWindow.value), ...about, ...which]} />;
}

/** How the note about rows begins. */
const ROWS_ARE = "Rows are ";

function CloseControls() {
  return (
    <>
      <BlameKey brief />
      {place.value.closer !== null && (
        <LinkButton title="Let the page choose this window again" onClick={() => go({ closer: null }, "push")}>
          reset
        </LinkButton>
      )}
    </>
  );
}

export const closeup: View = {
  ...DIAGNOSIS,
  name: "closeup",
  title: "Close-up",
  about: "A shorter window about a finding: the ranks that the critical path visits, and some others.",
  source: {
    view: "timeline",
    fixed: { order: "rank", fold: "path", open: "" },
    adjust: () => ({ colour: waitColour() }),
    closer: true,
    ownRows: true,
  },
  nothing: "No calls here.",
  Over: () => <AnalysisNotice name="diagnosis" brief />,
  Sub: CloseSub,
  Controls: CloseControls,
};
