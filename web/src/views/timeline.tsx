/** One row a rank (or a location), its spans over time. */
import { rowWords, windowWords } from "../pane/words";
import {
  COLOURS,
  type Colour,
  go,
  goLogical,
  hasSteps,
  logicalReady,
  place,
  rowWindow,
  timelineColour,
  trace,
} from "../state/state";
import { metricTitle } from "./metric-words";
import type { View } from "./view";

/** What colours mean: the metric and phases need communication to order. */
function Colours() {
  const info = trace.value;
  if (!info?.logical || !info.views.includes("logical")) return null;
  const words: Record<Colour, string> = { function: "function", metric: metricTitle().toLowerCase(), phase: "phase" };
  return (
    <label class="choice" title="What colours mean">
      Colour:
      <select
        class="title"
        aria-label="Colour"
        value={timelineColour.value}
        onChange={(event) => {
          const { value } = event.currentTarget;
          goLogical({ colour: COLOURS.find((one) => one === value) ?? null }, "push");
        }}
      >
        {COLOURS.map((one) => (
          <option key={one} value={one}>
            {words[one]}
          </option>
        ))}
      </select>
    </label>
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
  if (!hasSteps.value) return <>{windowWords("rows")}</>;
  // Beside the logical timeline the rows are named there.
  return (
    <>
      {windowWords("value")} · {place.value.rows === null && logicalReady.value !== null ? "follows steps" : rowWords()}
    </>
  );
}

/** Rows by buttons, for hands without a wheel. */
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

export const timeline: View = {
  name: "timeline",
  title: "Timeline",
  titleBeside: "Physical timeline",
  about: "What each rank does when; messages as lines once there is room.",
  y: "rows",
  Sub,
  Controls,
};
