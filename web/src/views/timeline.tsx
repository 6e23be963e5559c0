/** One row per rank (or location), its spans over time. */

import type { OptionValues } from "../api/options";
import { rowWords, windowWords } from "../pane/words";
import {
  acrossIn,
  analysis,
  go,
  hasSteps,
  logical,
  option,
  place,
  rowNeeds,
  rowsAdjusted,
  rowWindow,
  setOptions,
  trace,
  viewsInSight,
} from "../state/state";
import { AREA } from "./parts/area";
import { helpOf, OptionToggle, Select } from "./parts/controls";
import { Metrics } from "./parts/counters";
import { BLAME_COLOURS, type BlameColour, COLOUR_WORDS, canDiagnose, isBlame } from "./parts/diagnosis/data";
import { FINDINGS } from "./parts/findings";
import { HeadParts } from "./parts/head";
import { RowsPanel } from "./parts/rows";
import { type Colour, colourNow } from "./parts/steps/colour";
import { metricTitle } from "./parts/steps/metric-words";
import type { View } from "./view";

/** Colours of steps, which need communication to order, and of who waits for whom. */
type TimelineColour = Colour | BlameColour;

/** What colours mean: what somebody chose, if this trace has it. */
function timelineColour(): TimelineColour {
  const chosen = BLAME_COLOURS.find((one) => one === option("colour"));
  return chosen !== undefined && canDiagnose() ? chosen : colourNow();
}

function Colours() {
  const info = trace.value;
  const ofSteps: { value: TimelineColour; label: string }[] = [
    { value: "metric", label: metricTitle().toLowerCase() },
    { value: "phase", label: "phase" },
    { value: "kind", label: "kind of event" },
  ];
  const choices: { value: TimelineColour; label: string }[] = [
    { value: "function", label: "function" },
    ...(info?.logical && info.views.includes("logical") ? ofSteps : []),
    ...(canDiagnose() ? BLAME_COLOURS.map((value) => ({ value, label: COLOUR_WORDS[value] })) : []),
  ];
  if (choices.length < 2) return null;
  return (
    <span class="choice" title={helpOf("colour")}>
      Colour:
      <Select
        class="title"
        label="Colour"
        value={timelineColour()}
        choices={choices}
        onChange={(colour) => setOptions({ colour })}
      />
    </span>
  );
}

/** Whether there is anything to draw below rows. */
function hasCounters(): boolean {
  return (trace.value?.metrics ?? []).length > 0;
}

/** Which counters are tracks, while there are any. The view of counters has the same list. */
function Tracks() {
  const isListed = viewsInSight.value.some(({ name }) => name === "counters");
  return option("tracks") && hasCounters() && !isListed ? <Metrics /> : null;
}

function Controls() {
  return (
    <>
      <Colours />
      {hasCounters() && <OptionToggle name="tracks" label="counters" />}
      <Rows />
    </>
  );
}

function Sub(props: { pane: string }) {
  const { pane } = props;
  const window = acrossIn(pane, timeline);
  if (!hasSteps.value) return <HeadParts window={window} parts={windowWords(pane, timeline, "rows")} />;
  // Beside the logical timeline the rows are named there.
  const follows = place.value.rows === null && logical.ready.value !== null;
  const rows = follows ? "follows steps" : rowWords();
  return <HeadParts window={window} parts={[...windowWords(pane, timeline, "values"), rows]} />;
}

/** Rows by buttons, for those without a wheel. */
function Rows() {
  const [from, to] = rowWindow.value;
  const zoom = (factor: number) => {
    const middle = (from + to) / 2;
    const half = Math.max(((to - from) * factor) / 2, 0.5);
    go({ rows: [Math.round(middle - half), Math.round(middle + half)] }, "push");
  };
  return (
    <fieldset class="seg" aria-label="Rows shown">
      <button type="button" title="Fewer, taller rows (Alt-wheel)" aria-label="Fewer rows" onClick={() => zoom(0.5)}>
        +
      </button>
      <button
        type="button"
        title="More rows (Alt-wheel)"
        aria-label="More rows"
        disabled={place.value.rows === null}
        onClick={() => zoom(2)}
      >
        −
      </button>
      <button
        type="button"
        title="All rows"
        disabled={place.value.rows === null}
        onClick={() => go({ rows: null }, "push")}
      >
        all rows
      </button>
    </fieldset>
  );
}

/** The analysis that colours rest on; those of functions need nothing to be computed. */
function colourNeeds(): readonly ("logical" | "diagnosis")[] {
  const colour = timelineColour();
  return colour === "function" ? [] : isBlame(colour) ? ["diagnosis"] : ["logical"];
}

/** What it is coloured by until that is there; the path and taller rows come with who waits. */
function coloured(): Partial<OptionValues> {
  const colour = timelineColour();
  const isThere = colourNeeds().every((name) => analysis(name).ready.value !== null);
  return {
    ...(isBlame(colour) && isThere ? {} : { path: "", magnify: "" }),
    colour: isThere ? usualColour(colour) : "",
  };
}

/** Functions are what is usual. */
function usualColour(colour: TimelineColour): OptionValues["colour"] {
  return colour === "function" ? "" : colour;
}

export const timeline: View = {
  name: "timeline",
  title: "Timeline",
  titleBeside: "Physical timeline",
  source: {
    view: "timeline",
    adjust: () => ({ ...rowsAdjusted(), ...coloured() }),
  },
  layouts: [{ name: "timeline", title: "Timeline", text: "1timeline" }],
  needs: () => [...colourNeeds(), ...rowNeeds()],
  canWait: true,
  ...FINDINGS,
  ...AREA,
  filters: ["metrics"],
  loads: [...FINDINGS.loads, ...AREA.loads],
  panels: { ...FINDINGS.panels, ...AREA.panels, functions: [Tracks, RowsPanel] },
  nothing: "No calls here.",
  Sub,
  saysWindow: true,
  Controls,
};
