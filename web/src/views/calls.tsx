/** Every call against time: points, lines or arches as high as their durations, as strong as they are many. */
import { formatCount, formatShort, printable } from "../base/format";
import {
  brushTool,
  type CallHeight,
  type CallStyle,
  drawn,
  goCalls,
  MAPS,
  place,
  readHeight,
  SCALES,
  STYLES,
  trace,
} from "../state/state";
import type { View } from "./view";

export const STYLE_WORDS: Record<CallStyle, string> = {
  arches: "Arches",
  lines: "Lines",
  "points-start": "Points, start",
  "points-end": "Points, end",
};
const STYLE_HINTS: Record<CallStyle, string> = {
  arches: "From start to end, as high as the duration",
  lines: "From start to end, at the height of the duration",
  "points-start": "At the start: calls that begin together stand on a vertical line",
  "points-end": "At the end: calls that end together stand on a vertical line",
};
/** Longer names of counters would widen the list beyond its pane. */
const LONGEST_NAME = 40;
const MAP_WORDS = { log: "log", linear: "linear", alpha: "blended" };

/** Calls of each function in the window, by name; null where no pane shows them. */
export function callCounts(): Map<string, number> | null {
  const pane = [...drawn.value.values()].find(({ view }) => view === "calls");
  return pane?.legend ? new Map(pane.legend.map(({ name, value }) => [name, numberIn(value)])) : null;
}

function numberIn(text: string): number {
  return Number(text.replace(/\D/g, ""));
}

/** How many calls a pane shows, from what its scene says of each function. */
export function callsShown(pane: string): number | null {
  const legend = drawn.value.get(pane)?.legend;
  if (!legend) return null;
  return legend.reduce((sum, { value }) => sum + numberIn(value), 0);
}

function Styles() {
  const { style } = place.value.calls;
  return (
    <fieldset class="seg styles" aria-label="Style">
      {[...STYLES].reverse().map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === style}
          title={STYLE_HINTS[one]}
          onClick={() => goCalls({ style: one }, "push")}
        >
          {STYLE_WORDS[one]}
        </button>
      ))}
    </fieldset>
  );
}

/** What is up, and how it is spaced, in one list; ranks have no logarithm. The spacing stands first: names have spaces. */
function Heights() {
  const { y, scale } = place.value.calls;
  const known = (trace.value?.metrics ?? []).map(({ name }): CallHeight => `metric:${name}`);
  // A link may name a counter that this trace does not have.
  const others = y.startsWith("metric:") && !known.includes(y) ? [...known, y] : known;
  const option = (one: CallHeight) =>
    SCALES.map((spacing) => (
      <option key={`${spacing} ${one}`} value={`${spacing} ${one}`}>
        {printable(one.replace("metric:", ""), LONGEST_NAME)}, {spacing}
      </option>
    ));
  return (
    <label class="choice">
      y:
      <select
        class="title"
        aria-label="Height"
        value={y === "rank" ? y : `${scale} ${y}`}
        onChange={(event) => {
          const { value } = event.currentTarget;
          const [spacing = ""] = value.split(" ");
          const height = value === "rank" ? value : readHeight(value.slice(spacing.length + 1));
          goCalls({ y: height ?? "duration", scale: SCALES.find((one) => one === spacing) ?? scale }, "push");
        }}
      >
        {option("duration")}
        {option("bytes")}
        <option value="rank">rank</option>
        {others.length > 0 && <optgroup label="Counters">{others.flatMap(option)}</optgroup>}
      </select>
    </label>
  );
}

function OpacityControls() {
  const { opacity } = place.value.calls;
  const { map, least } = opacity;
  return (
    <>
      <label class="choice" title="How calls a pixel become opacity">
        Opacity:
        <select
          class="title"
          aria-label="Opacity"
          value={map}
          onChange={(event) => {
            const chosen = MAPS.find((one) => one === event.currentTarget.value) ?? map;
            goCalls({ opacity: { ...opacity, map: chosen } }, "push");
          }}
        >
          {MAPS.map((one) => (
            <option key={one} value={one}>
              {MAP_WORDS[one]}
            </option>
          ))}
        </select>
      </label>
      <label class="omin" title="The opacity of a single call">
        <span>
          o<sub>min</sub>
        </span>
        <input
          type="range"
          aria-label="Least opacity"
          min={0}
          max={1}
          step={0.01}
          value={least}
          disabled={map === "alpha"}
          onInput={(event) => goCalls({ opacity: { ...opacity, least: Number(event.currentTarget.value) } }, "live")}
        />
        <output>{least.toFixed(2)}</output>
      </label>
    </>
  );
}

function Sub(props: { pane: string }) {
  const shown = callsShown(props.pane);
  if (shown === null) return null;
  return (
    <span data-testid="calls-count" title={`${formatCount(shown)} calls in the window, under the filters`}>
      {shown < 1e6 ? formatCount(shown) : formatShort(shown)} calls
    </span>
  );
}

function Controls() {
  return (
    <>
      <button
        type="button"
        class="tool"
        data-testid="brush-tool"
        aria-pressed={brushTool.value}
        title="Brush a rectangle with any drag; Alt-drag does it at any time"
        onClick={() => {
          brushTool.value = !brushTool.value;
        }}
      >
        Brush
      </button>
      <Styles />
      <Heights />
      <OpacityControls />
    </>
  );
}

function CloserControls(props: { pane: string }) {
  const shown = callsShown(props.pane);
  const { closer } = place.value.calls;
  return (
    <>
      {shown !== null && <span class="count">{formatShort(shown)} calls</span>}
      {closer !== null && (
        <button
          type="button"
          class="link"
          title="Let the page choose this window again"
          onClick={() => goCalls({ closer: null }, "push")}
        >
          reset
        </button>
      )}
    </>
  );
}

export const calls: View = {
  name: "calls",
  title: "Calls",
  about: "Every call against time, as high as its duration, as strong as calls are many.",
  y: "value",
  Sub,
  Controls,
};

export const arches: View = {
  name: "calls-arches",
  title: "Arches",
  about: "Calls of a shorter window as arches from start to end.",
  y: "value",
  source: { view: "calls", fixed: { style: "arches", scale: "linear" }, closer: true },
  Controls: CloserControls,
};

export const lines: View = {
  name: "calls-lines",
  title: "Lines",
  about: "Calls of a shorter window as lines from start to end.",
  y: "value",
  source: { view: "calls", fixed: { style: "lines" }, closer: true },
  Controls: CloserControls,
};
