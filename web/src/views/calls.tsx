/** Every call against time: points, lines or arches as high as their durations, as strong as they are many. */
import { type AnalysisName, OPTIONS, type OptionValues } from "../api/options";
import { formatSelection } from "../api/selection";
import { formatCount, formatShort, printable } from "../base/format";
import {
  areUsual,
  brushTool,
  type Command,
  diagnosisTold,
  drawn,
  findings,
  go,
  hasSteps,
  option,
  type PaneStatus,
  place,
  resetOptions,
  setOptions,
  timeWindow,
  trace,
  wordsOf,
} from "../state/state";
import { BrushPanel } from "./parts/calls/brushed";
import { CallerKey, numberIn } from "./parts/calls/callers";
import { brushed, callColour, isByCaller, OPACITY_OPTIONS } from "./parts/calls/data";
import { CALL_FILTERS, CallFilter } from "./parts/calls/filter";
import { FindingsPanel, Stages } from "./parts/calls/findings";
import { brushMark, brushSelection, closerMark, pinMarks, stageMarks } from "./parts/calls/marks";
import { OpacityKey } from "./parts/calls/opacity-key";
import { helpOf, OptionButtons, OptionSelect, Select } from "./parts/controls";
import type { View } from "./view";
import "./parts/calls/calls.css";

const STYLES: { value: OptionValues["style"]; label: string; hint: string }[] = [
  { value: "arches", label: "Arches", hint: "From start to end, as high as the duration" },
  { value: "lines", label: "Lines", hint: "From start to end, at the height of the duration" },
  {
    value: "points-start",
    label: "Points, start",
    hint: "At the start: calls that begin together line up vertically",
  },
  { value: "points-end", label: "Points, end", hint: "At the end: calls that end together line up vertically" },
];
/** Longer names of counters would widen the list beyond its pane. */
const LONGEST_NAME = 40;
/** Calls of each function, from what a scene says of them; of callers it speaks in a panel of its own. */
function countsOf({ legend }: PaneStatus): Map<string, number> {
  return new Map(isByCaller() ? [] : (legend ?? []).map(({ name, value }) => [name, numberIn(value)]));
}

/** How many calls a pane shows, from what its scene says of each function. */
export function callsShown(pane: string): number | null {
  const legend = drawn.value.get(pane)?.legend;
  if (!legend) return null;
  return legend.reduce((sum, { value }) => sum + numberIn(value), 0);
}

const SPACINGS = wordsOf("scale").filter((word) => word !== "auto");

/** How heights are spaced: as chosen, else as suits the style. */
function spacingNow(): string {
  const chosen = option("scale");
  return chosen !== "auto" ? chosen : option("style") === "arches" ? "linear" : "log";
}

/** What is up, and how it is spaced, in one list; ranks have no logarithm. The spacing stands first: names have spaces. */
function Heights() {
  const [y, scale] = [option("y"), spacingNow()];
  const known = (trace.value?.metrics ?? []).map(({ name }) => `counter:${name}`);
  // A link may name a counter that this trace does not have.
  const others = y.startsWith("counter:") && !known.includes(y) ? [...known, y] : known;
  const choice = (one: string) =>
    SPACINGS.map((spacing) => (
      <option key={`${spacing} ${one}`} value={`${spacing} ${one}`}>
        {printable(one.replace("counter:", ""), LONGEST_NAME)}, {spacing}
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
          const spacing = SPACINGS.find((one) => value.startsWith(`${one} `));
          setOptions(spacing ? { y: value.slice(spacing.length + 1), scale: spacing } : { y: value });
        }}
      >
        {choice("duration")}
        {choice("bytes")}
        <option value="rank">rank</option>
        {others.length > 0 && <optgroup label="Counters">{others.flatMap(choice)}</optgroup>}
      </select>
    </label>
  );
}

function Colours() {
  const choices: { value: "function" | "caller"; label: string }[] = [
    { value: "function", label: "by function" },
    { value: "caller", label: "by caller" },
  ];
  return (
    <span
      class="choice"
      title="What calls are coloured by: the function that is called, or the one that it is called from (--colour)"
    >
      <Select
        class="title"
        label="Colour of calls"
        value={isByCaller() ? "caller" : "function"}
        choices={choices}
        onChange={(colour) => setOptions({ colour: colour === "caller" ? colour : "" })}
      />
    </span>
  );
}

function OpacityControls() {
  const least = option("omin");
  return (
    <>
      <span class="choice" title={helpOf("opacity")}>
        <OptionSelect
          class="title"
          name="opacity"
          label="Opacity"
          words={{ log: "log opacity", linear: "linear opacity", alpha: "blended" }}
        />
      </span>
      <label class="omin" title={helpOf("omin")}>
        <span>single call</span>
        <input
          type="range"
          aria-label={OPTIONS.omin.title}
          min={0}
          max={1}
          step={0.01}
          value={least}
          disabled={option("opacity") === "alpha"}
          onInput={(event) => setOptions({ omin: Number(event.currentTarget.value) }, "live")}
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
    <span data-testid="calls-count" title={`${formatCount(shown)} calls in this window that pass the filters`}>
      {shown < 1e5 ? formatCount(shown) : formatShort(shown)} calls
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
        title="Drag to brush a rectangle; Alt-drag always does"
        onClick={() => {
          brushTool.value = !brushTool.value;
        }}
      >
        Brush
      </button>
      <OptionButtons name="style" label="Style" class="styles" choices={STYLES} />
      <Heights />
      <Colours />
      <OpacityControls />
    </>
  );
}

function commands(): Command[] {
  const styles = STYLES.map(
    ({ value, label }): Command => ({
      title: `Calls as ${label.toLowerCase()}`,
      group: "Panes",
      ready: () => option("style") !== value,
      run: () => setOptions({ style: value }),
    }),
  );
  return [
    ...styles,
    {
      title: "Toggle colour of calls by caller",
      group: "Panes",
      run: () => setOptions({ colour: isByCaller() ? "" : "caller" }),
    },
    {
      title: "Brush all calls in view",
      group: "Select",
      run: () => go({ selected: formatSelection({ kind: "window", time: timeWindow.value, values: null }) }, "push"),
    },
    {
      title: "Show calls of any duration, size and communicator",
      group: "Find",
      ready: () => !areUsual(CALL_FILTERS),
      run: () => resetOptions(CALL_FILTERS),
    },
  ];
}

/** Up to so many calls are looked at for each picture, whatever is known of them. */
const FEW_CALLS = 500_000;

/** Without them all calls in sight are looked at, for each picture. What they tell apart decides which one is of use. */
function soonerBy(): readonly AnalysisName[] {
  if (Number(trace.value?.spans ?? 0) <= FEW_CALLS) return [];
  if (isByCaller() || option("y") === "bytes" || !areUsual(["bytes", "communicator"])) return ["kinds"];
  const hasRanks = place.value.ranks !== "";
  if (option("y") === "rank") return hasRanks || !areUsual(["durations"]) ? [] : ["by-rank"];
  return option("y") === "duration" && (hasRanks || hasSteps.value) ? ["chosen"] : [];
}

/** What all views of calls have in common. */
export const CALLS = {
  wide: true,
  needs: () => [],
  sooner: soonerBy,
  loads: [findings, brushed, diagnosisTold],
  wishes: ["diagnosis"],
  panels: {
    functions: [Stages],
    filters: [CallerKey, CallFilter, OpacityKey],
    above: [FindingsPanel],
    below: [BrushPanel],
  },
  commands,
  brush: brushSelection,
  nothing: "No calls to show here.",
  filters: CALL_FILTERS,
  draws: ["window"],
  opacity: () => ({ map: option("opacity"), least: option("omin") }),
} satisfies Partial<View>;

export const calls: View = {
  ...CALLS,
  name: "calls",
  title: "Calls",
  source: { view: "calls", adjust: callColour, own: OPACITY_OPTIONS },
  layouts: [{ name: "calls", title: "Calls", text: "1c(190activity,545calls,265r(500calls-arches,500calls-lines))" }],
  marks: (picture) => ({
    stages: stageMarks(picture, findings.answer.value?.stages ?? [], false),
    pins: pinMarks(picture),
    brush: brushMark(picture),
    stretch: closerMark(picture),
  }),
  counts: { title: "calls", of: countsOf },
  Sub,
  Controls,
};
