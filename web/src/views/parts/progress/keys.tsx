/** What stands between the head of a pane and its picture: the key of the lines, and the bandwidth of the density. */
import { OPTIONS } from "../../../api/options";
import { formatCount, plural, printable } from "../../../base/format";
import { go, option, place } from "../../../state/state";
import { helpOf } from "../controls";
import { bandwidthAt, bandwidthWords, placeOf, stretches } from "./bandwidth";
import { bandwidthEnds, setBandwidth, shownInstant, told } from "./data";
import { thicknesses, wayWidth } from "./ways";

/** Notches of the slider: finer than its pixels. */
const NOTCHES = 1000;

/** A stretch has room for its number from this share of the slider on; the tip has it in any case. */
const ROOM = 0.12;

/** The numbers of groups that bandwidths give, below the slider; the one at the slider stands out. */
function Gives() {
  const all = stretches(told.value?.bandwidths ?? []);
  const at = placeOf(option("bandwidth"), bandwidthEnds());
  const now = all.findIndex(({ to }) => at <= to);
  return (
    <span class="gives" data-testid="gives">
      {all.map(({ groups, from, to }, i) => (
        <button
          key={`${from}`}
          type="button"
          class="stretch"
          tabIndex={-1}
          aria-pressed={i === now}
          style={{ width: `${(to - from) * 100}%` }}
          aria-label={`${groups} ${plural(groups, "group")}`}
          title={`${groups} ${plural(groups, "group")}. Click for a bandwidth that gives so many.`}
          onClick={() => setBandwidth(bandwidthAt((from + to) / 2, bandwidthEnds()), "push")}
        >
          {to - from >= ROOM || i === now ? groups : ""}
        </button>
      ))}
    </span>
  );
}

export function BandwidthKey() {
  const [bandwidth, ends] = [option("bandwidth"), bandwidthEnds()];
  const groups = shownInstant()?.instant.groups.length;
  return (
    <>
      <label class="bandwidth" title={`${helpOf("bandwidth")}. Keys [ and ]`}>
        <span class="cap">Bandwidth</span>
        <input
          type="range"
          aria-label={OPTIONS.bandwidth.title}
          aria-valuetext={`${bandwidthWords(bandwidth)}${groups === undefined ? "" : `, ${groups} ${plural(groups, "group")}`}`}
          min={0}
          max={NOTCHES}
          step={5}
          value={Math.round(placeOf(bandwidth, ends) * NOTCHES)}
          onInput={(event) => setBandwidth(bandwidthAt(Number(event.currentTarget.value) / NOTCHES, ends))}
        />
        <b data-testid="bandwidth">{bandwidthWords(bandwidth)}</b>
      </label>
      <div class="bandwidth">
        <span class="cap">gives</span>
        <Gives />
        <span class="cap end">{plural(groups ?? 2, "group")}</span>
      </div>
    </>
  );
}

/** More groups than these have no room; the panel has them all. */
const MOST_GROUPS = 8;

/** Which colour is which group, how thick lines are, and what the other lines mean. */
export function LinesKey() {
  const [now, shown] = [told.value, shownInstant()];
  if (now === null || shown === null) return null;
  const { groups } = shown.instant;
  const { nodes } = now;
  return (
    <>
      <div class="line" data-testid="lines-key">
        <span class="cap">Groups</span>
        {groups.slice(0, MOST_GROUPS).map(({ nodes: names, colour, select, count }) => (
          <button
            key={select}
            type="button"
            class="entry"
            aria-pressed={place.value.selected === select}
            title={`${formatCount(count)} ${plural(count, "node")}: ${printable(names, 400)}`}
            onClick={() => go({ selected: select }, "push")}
          >
            <i class="dot" style={{ background: colour }} />
            <span class="label">{printable(names, 40)}</span>
          </button>
        ))}
        {groups.length > MOST_GROUPS && <span class="quiet">{groups.length - MOST_GROUPS} more</span>}
      </div>
      <div class="line">
        <span class="cap">Nodes</span>
        {thicknesses(nodes).map((count) => (
          <span class="entry" key={count}>
            <i class="bar" style={{ height: `${wayWidth(count, nodes)}px` }} />
            {formatCount(count)}
          </span>
        ))}
        <span class="entry">
          <i class="thin" />
          one node
        </span>
        {now.bounds.area > 0 && (
          <>
            <span class="entry">
              <i class="bound" />
              area bound of the run
            </span>
            <span class="entry">
              <i class="dots" />✶ of each step, summed
            </span>
          </>
        )}
      </div>
    </>
  );
}
