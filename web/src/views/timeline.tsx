/** One row per rank (or location), its spans over time. */
import { rowWords, windowWords } from "../pane/words";
import { go, hasSteps, logical, place, rowNeeds, rowsAdjusted, rowWindow, setOptions, trace } from "../state/state";
import { helpOf, Select } from "./parts/controls";
import { FINDINGS } from "./parts/findings";
import { HeadParts } from "./parts/head";
import { RowsPanel } from "./parts/rows";
import { type Colour, colourNow } from "./parts/steps/colour";
import { metricTitle } from "./parts/steps/metric-words";
import type { View } from "./view";

/** What colours mean: the metric and phases need communication to order. */
function Colours() {
  const info = trace.value;
  if (!info?.logical || !info.views.includes("logical")) return null;
  const choices: { value: Colour; label: string }[] = [
    { value: "function", label: "function" },
    { value: "metric", label: metricTitle().toLowerCase() },
    { value: "phase", label: "phase" },
    { value: "kind", label: "kind of event" },
  ];
  return (
    <span class="choice" title={helpOf("colour")}>
      Colour:
      <Select
        class="title"
        label="Colour"
        value={colourNow()}
        choices={choices}
        onChange={(colour) => setOptions({ colour })}
      />
    </span>
  );
}

function Controls() {
  return (
    <>
      <Colours />
      <Rows />
    </>
  );
}

function Sub() {
  if (!hasSteps.value) return <HeadParts parts={windowWords(timeline, "rows")} />;
  // Beside the logical timeline the rows are named there.
  const follows = place.value.rows === null && logical.ready.value !== null;
  return <HeadParts parts={[...windowWords(timeline, "values"), follows ? "follows steps" : rowWords()]} />;
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

/** Whether its colours are those of functions, which need nothing to be computed. */
const hasFunctionColours = () => colourNow() === "function";

export const timeline: View = {
  name: "timeline",
  title: "Timeline",
  titleBeside: "Physical timeline",
  source: {
    view: "timeline",
    adjust: () => ({
      ...rowsAdjusted(),
      colour: hasFunctionColours() || logical.ready.value === null ? "" : colourNow(),
    }),
  },
  layouts: [{ name: "timeline", title: "Timeline", text: "1timeline" }],
  needs: () => [...(hasFunctionColours() ? [] : (["logical"] as const)), ...rowNeeds()],
  canWait: true,
  ...FINDINGS,
  panels: { ...FINDINGS.panels, functions: [RowsPanel] },
  nothing: "No calls here.",
  Sub,
  Controls,
};
