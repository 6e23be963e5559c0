/** A card per finding: who, since when, what it costs, how one knows, what the run would take without it, what to look at. */
import type { FindingTold } from "../../../api/types";
import { printable } from "../../../base/format";
import { findingNow, go, type Layout, offeredLayouts, place, setOptions } from "../../../state/state";
import { LinkButton } from "../controls";
import { isShown, waitColour } from "./data";
import { KindIcon } from "./icons";
import { Named, Pieces } from "./pieces";
import { placeLike, showFinding, showPath } from "./show";

/** Other layouts that show more of some kinds, and what they are called on a card. */
const ELSEWHERE: { layout: string; label: string; title: string; kinds: readonly string[] }[] = [
  {
    layout: "network",
    label: "Links",
    title: "What the links of the machine carry",
    kinds: ["slow-link", "slow-card", "slow-network"],
  },
  {
    layout: "calls",
    label: "Calls",
    title: "Its calls by time and duration",
    kinds: ["stall", "periodic-noise", "noise", "serial-work", "late-receiver", "wrong-order"],
  },
];

function Elsewhere(props: { finding: FindingTold; layouts: readonly Layout[] }) {
  const { finding, layouts } = props;
  const found = ELSEWHERE.find(({ kinds }) => kinds.includes(finding.kind));
  if (found === undefined || !layouts.some(({ name }) => name === found.layout)) return null;
  const { function_name: name } = finding;
  return (
    <LinkButton
      title={found.title}
      onClick={() =>
        go({ ...placeLike(finding), layout: found.layout, highlight: name === null ? [] : [name] }, "push")
      }
    >
      {found.label}
    </LinkButton>
  );
}

/** The path through a finding, or again the waits. */
function PathLead(props: { finding: FindingTold; on: boolean }) {
  const isOnly = props.on && waitColour() === "path" && isShown("path");
  return (
    <LinkButton
      pressed={isOnly}
      title={isOnly ? "Colour waits again" : "Where the critical path runs: all that is not on it recedes (P hides it)"}
      onClick={() => (isOnly ? setOptions({ colour: "" }) : showPath(props.finding))}
    >
      {isOnly ? "Show the waits" : "Show the path"}
    </LinkButton>
  );
}

/** Only the ranks of a finding, or again all. */
function RanksLead(props: { finding: FindingTold }) {
  const { ranks } = props.finding;
  if (ranks === null) return null;
  const isShown = place.value.ranks === ranks;
  return (
    <LinkButton
      pressed={isShown}
      title={isShown ? "Show all ranks again" : `Only ranks ${printable(ranks, 60)}`}
      onClick={() => (isShown ? go({ ranks: "" }, "push") : showFinding(props.finding, { ranks }))}
    >
      {isShown ? "All ranks" : "Ranks"}
    </LinkButton>
  );
}

export function Card(props: { finding: FindingTold }) {
  const { finding } = props;
  const on = findingNow.value === finding;
  const hint = finding.number <= 8 ? ` (${finding.number})` : "";
  return (
    <li class={`fault ${on ? "on" : ""}`} data-testid="card" data-finding={finding.number}>
      <button
        type="button"
        class="about"
        aria-pressed={on}
        title={`Show it in the timeline${hint}`}
        onClick={() => showFinding(finding)}
      >
        <span class="hd">
          <span class="badge">{finding.number}</span>
          <b class="title">{printable(finding.title)}</b>
          <b class="cost">{printable(finding.cost_text, 12)}</b>
        </span>
        <span class="who">
          <KindIcon kind={finding.kind} />
          <span>
            <Named text={finding.where} />
          </span>
        </span>
        <span class="says">
          <Pieces text={finding.text} figures />
        </span>
        {finding.without.length > 0 && (
          <span class="says">
            <Pieces text={finding.without} figures />
          </span>
        )}
        {finding.advice !== "" && (
          <span class="next">
            <Named text={finding.advice} />
          </span>
        )}
      </button>
      <p class="leads">
        <LinkButton title={`Its time and its ranks in the timeline${hint}`} onClick={() => showFinding(finding)}>
          Show
        </LinkButton>
        <PathLead finding={finding} on={on} />
        <RanksLead finding={finding} />
        <Elsewhere finding={finding} layouts={offeredLayouts()} />
      </p>
    </li>
  );
}
