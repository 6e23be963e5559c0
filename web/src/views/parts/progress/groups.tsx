/** The groups of the shown step: how many nodes, which, and how far they have come. A click selects their nodes. */
import type { GroupTold } from "../../../api/types";
import { formatCount, plural, printable } from "../../../base/format";
import { go, place } from "../../../state/state";
import { Panel, PickRow } from "../panel";
import { instantWords, shownInstant, told } from "./data";
import { share } from "./words";

/** Longer lists of nodes are in the tip, and beside the selection. */
const MOST_LETTERS = 90;

function GroupRow(props: { group: GroupTold }) {
  const { nodes, count, mean, extent, colour, select } = props.group;
  const on = place.value.selected === select;
  const range = count > 1 ? `${share(extent[0])} to ${share(extent[1])}` : share(mean);
  return (
    <PickRow
      on={on}
      testid="group"
      class="group"
      data={{ "data-select": select }}
      title={`${formatCount(count)} ${plural(count, "node")}: ${printable(nodes, 400)}\n${range} of their work done. Click to select them everywhere.`}
      onClick={() => go({ selected: on ? null : select }, "push")}
    >
      <span class="sw" style={{ background: colour }} />
      <span class="label">
        {formatCount(count)} {plural(count, "node")}
      </span>
      <b class="n">{share(mean)}</b>
      <span class="nodes">{printable(nodes, MOST_LETTERS)}</span>
      <span class="track">
        <span class="done" style={{ width: `${mean * 100}%`, background: colour }} />
      </span>
    </PickRow>
  );
}

export function GroupsPanel() {
  const shown = shownInstant();
  if (told.value === null || shown === null) return null;
  const { number, instant } = shown;
  return (
    <Panel
      title="Groups"
      testid="groups"
      beside={
        <span>
          step {number} · {instantWords(number)}
        </span>
      }
    >
      <ul class="groups">
        {instant.groups.map((group) => (
          <GroupRow key={group.select} group={group} />
        ))}
      </ul>
    </Panel>
  );
}
