/**
 * The legend: the functions of the trace with their colours and shares of the window's time.
 *
 * Rows keep the order of the whole run, so that nothing jumps while one zooms; only the numbers change. A click highlights
 * (the others fade), an alt-click or the eye hides.
 */
import { useSignal } from "@preact/signals";
import type { Region } from "../api/types";
import { formatCount, formatShort, plural, printable } from "../base/format";
import { percent } from "../pane/words";
import { drawn, go, place, theme, toggleHidden, toggleHighlight, trace } from "../state/state";
import { LinkButton } from "../views/parts/controls";
import { Panel, PickRow } from "../views/parts/panel";
import { regionShares, restName, restShare } from "../views/parts/shares";
import { viewOf } from "../views/registry";
import { EyeIcon } from "./icons";

/** More rows than this hide behind a button: the legend is for the big ones, the search for the rest. */
const SHORT_LIST = 12;
/** Where ranks communicate, so many of the functions that do not are named, if they take this much of the run (in per cent). */
const MOST_OTHERS = 5;
const LARGE_OTHER = 1;

function Row(props: { region: Region; share: number | null; calls: number | undefined }) {
  const { region, share, calls } = props;
  const name = printable(region.name);
  const on = place.value.highlight.includes(region.name);
  const hidden = place.value.hidden.includes(region.name);
  return (
    <PickRow
      on={on}
      off={hidden}
      testid="legend-row"
      data={{ "data-region": region.name }}
      title={`${name}\n${printable(region.paradigm)} · ${formatCount(region.count)} calls\nClick to highlight, Alt-click to hide`}
      onClick={(event) => (event.altKey ? toggleHidden(region.name) : toggleHighlight(region.name))}
      beside={
        <button
          type="button"
          class="eye"
          aria-label={`${hidden ? "Show" : "Hide"} ${name}`}
          aria-pressed={hidden}
          title={hidden ? "Show again" : "Hide"}
          onClick={() => toggleHidden(region.name)}
        >
          <EyeIcon shut={hidden} />
        </button>
      }
    >
      <span class="sw" style={{ background: region[theme.value] }} />
      <span class="label">{name}</span>
      {calls !== undefined && <span class="calls">{formatShort(calls)}</span>}
      <span class="n">{share === null ? "" : percent(share)}</span>
    </PickRow>
  );
}

function Rows(props: {
  regions: Region[];
  share: (region: Region) => number | null;
  counts?: Map<string, number> | null;
  /** How many are shown at first. */
  short: number;
}) {
  const all = useSignal(false);
  const { highlight, hidden } = place.value;
  const { regions } = props;
  // A button for one more would take as much room as that one.
  const short = regions.length === props.short + 1 ? regions.length : props.short;
  // What is highlighted or hidden must stay in reach, however small it is.
  const shown = all.value
    ? regions
    : regions.filter((one, i) => i < short || highlight.includes(one.name) || hidden.includes(one.name));
  const rest = regions.length - shown.length;
  return (
    <>
      {shown.map((region) => (
        <Row key={region.id} region={region} share={props.share(region)} calls={props.counts?.get(region.name)} />
      ))}
      {(rest > 0 || (all.value && regions.length > short)) && (
        <li class="row">
          <LinkButton expanded={all.value} onClick={() => (all.value = !all.value)}>
            {all.value ? "fewer" : `${formatCount(rest)} more`}
          </LinkButton>
        </li>
      )}
    </>
  );
}

/** A column of numbers of the first view that has one to give. */
function column(): { title: string; counts: Map<string, number> } | null {
  for (const status of drawn.value.values()) {
    const { counts } = viewOf(status.view);
    if (counts && status.legend) return { title: counts.title, counts: counts.of(status) };
  }
  return null;
}

export function Legend() {
  const info = trace.value;
  if (!info) return null;
  const shares = regionShares();
  const rest = restShare();
  const more = column();
  const talk = info.regions.filter((region) => region.communication);
  const user = info.regions.filter((region) => !region.communication);
  const run = Number(info.end_ns) * Math.max(info.rows, 1);
  const ofRun = (region: Region) => (run > 0 ? (100 * Number(region.exclusive_ns)) / run : null);
  // Timelines are full of their colours: the large ones are named without being asked for.
  const large = user.filter((region) => (ofRun(region) ?? 0) >= LARGE_OTHER).length;
  const others = talk.length === 0 ? SHORT_LIST : Math.min(large, MOST_OTHERS);
  const { highlight, hidden } = place.value;
  return (
    <Panel
      title="Functions"
      testid="legend"
      beside={
        <>
          {more && <span class="head-calls">{more.title}</span>} <span>% {more ? "" : "of "}time</span>
        </>
      }
    >
      <ul>
        <Rows
          regions={talk}
          share={(region) => (shares ? (shares.get(region.id) ?? 0) : null)}
          counts={more?.counts ?? null}
          short={SHORT_LIST}
        />
        <li class="row">
          <span class="name">
            <span class="sw compute" />
            <span class="label">{restName()}</span>
            <span class="n">{rest === null ? "" : percent(rest)}</span>
          </span>
        </li>
      </ul>
      {user.length > 0 && (
        <details class="more" open>
          <summary>
            {formatCount(user.length)}{" "}
            {talk.length === 0 ? plural(user.length, "function") : plural(user.length, "other")}{" "}
            <span>% of the run</span>
          </summary>
          <ul>
            <Rows regions={user} share={ofRun} short={others} />
          </ul>
        </details>
      )}
      {highlight.length + hidden.length > 0 && (
        <p class="foot">
          {highlight.length > 0 && (
            <LinkButton onClick={() => go({ highlight: [] }, "push")}>Clear highlight</LinkButton>
          )}
          {hidden.length > 0 && (
            <LinkButton onClick={() => go({ hidden: [] }, "push")}>Show {hidden.length} hidden</LinkButton>
          )}
        </p>
      )}
      {info.regions_total > info.regions.length && (
        <p class="foot">
          The {formatCount(info.regions.length)} of {formatCount(info.regions_total)} that take most time.
        </p>
      )}
    </Panel>
  );
}
