/**
 * The legend: the functions of the trace with their colours and shares of the window's time.
 *
 * Rows keep the order of the whole run, so that nothing jumps while one zooms; only the numbers change. A click highlights
 * (the others fade), an alt-click or the eye hides.
 */
import { useSignal } from "@preact/signals";
import type { Region } from "../api/types";
import { formatCount, formatShort, printable } from "../base/format";
import { percent } from "../pane/words";
import { go, place, theme, toggleHidden, toggleHighlight, trace } from "../state/state";
import { callCounts } from "../views/calls";
import { computingShare, regionShares } from "../views/shares";
import { EyeIcon } from "./icons";

/** More rows than this hide behind a button: the legend is for the big ones, the search for the rest. */
const SHORT_LIST = 12;

function Row(props: { region: Region; share: number | null; calls: number | undefined }) {
  const { region, share, calls } = props;
  const name = printable(region.name);
  const on = place.value.highlight.includes(region.name);
  const hidden = place.value.hidden.includes(region.name);
  return (
    <li class={`row pick ${on ? "on" : ""} ${hidden ? "off" : ""}`}>
      <button
        type="button"
        class="name"
        data-testid="legend-row"
        data-region={region.name}
        aria-pressed={on}
        title={`${name}\n${printable(region.paradigm)} · ${formatCount(region.count)} calls\nClick highlights, Alt-click hides`}
        onClick={(event) => (event.altKey ? toggleHidden(region.name) : toggleHighlight(region.name))}
      >
        <span class="sw" style={{ background: region[theme.value] }} />
        <span class="label">{name}</span>
        {calls !== undefined && <span class="calls">{formatShort(calls)}</span>}
        <span class="n">{share === null ? "" : percent(share)}</span>
      </button>
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
    </li>
  );
}

function Rows(props: {
  regions: Region[];
  share: (region: Region) => number | null;
  counts?: Map<string, number> | null;
}) {
  const all = useSignal(false);
  const { highlight, hidden } = place.value;
  const { regions } = props;
  // What is highlighted or hidden must stay in reach, however small it is.
  const shown = all.value
    ? regions
    : regions.filter((one, i) => i < SHORT_LIST || highlight.includes(one.name) || hidden.includes(one.name));
  const rest = regions.length - shown.length;
  return (
    <>
      {shown.map((region) => (
        <Row key={region.id} region={region} share={props.share(region)} calls={props.counts?.get(region.name)} />
      ))}
      {(rest > 0 || (all.value && regions.length > SHORT_LIST)) && (
        <li class="row">
          <button type="button" class="link" aria-expanded={all.value} onClick={() => (all.value = !all.value)}>
            {all.value ? "fewer" : `${formatCount(rest)} others`}
          </button>
        </li>
      )}
    </>
  );
}

export function Legend() {
  const info = trace.value;
  if (!info) return null;
  const shares = regionShares();
  const computing = computingShare();
  const counts = callCounts();
  const talk = info.regions.filter((region) => region.communication);
  const user = info.regions.filter((region) => !region.communication);
  const run = Number(info.end_ns) * Math.max(info.rows, 1);
  const { highlight, hidden } = place.value;
  return (
    <section aria-label="Functions" data-testid="legend">
      <h2>
        Functions {counts && <span class="head-calls">calls</span>} <span>% {counts ? "" : "of "}time</span>
      </h2>
      <ul>
        <Rows regions={talk} share={(region) => (shares ? (shares.get(region.id) ?? 0) : null)} counts={counts} />
        <li class="row">
          <span class="name">
            <span class="sw compute" />
            <span class="label">computing</span>
            <span class="n">{computing === null ? "" : percent(computing)}</span>
          </span>
        </li>
      </ul>
      {user.length > 0 && (
        <details class="more" open={talk.length === 0}>
          <summary>
            {formatCount(user.length)} other functions <span>% of the run</span>
          </summary>
          <ul>
            <Rows regions={user} share={(region) => (run > 0 ? (100 * Number(region.exclusive_ns)) / run : null)} />
          </ul>
        </details>
      )}
      {highlight.length + hidden.length > 0 && (
        <p class="foot">
          {highlight.length > 0 && (
            <button type="button" class="link" onClick={() => go({ highlight: [] }, "push")}>
              Clear highlight
            </button>
          )}
          {hidden.length > 0 && (
            <button type="button" class="link" onClick={() => go({ hidden: [] }, "push")}>
              Show {hidden.length} hidden
            </button>
          )}
        </p>
      )}
      {info.regions_total > info.regions.length && (
        <p class="foot">
          The {formatCount(info.regions.length)} with most time of {formatCount(info.regions_total)}.
        </p>
      )}
    </section>
  );
}
