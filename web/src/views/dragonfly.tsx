/** A dragonfly: a matrix of its groups, with one of them opened, or all of them on a ring. */
import { optionIn, type Source, setOptionsIn } from "../state/state";
import { HeadParts } from "./parts/head";
import { aboutMachine } from "./parts/network/data";
import { Player } from "./parts/network/player";
import { NETWORK, OF_DRAGONFLY } from "./parts/network/shared";
import type { View } from "./view";

/** Two panes of it show it in two ways. */
const source: Source = { view: "dragonfly", perPane: ["groups-as", "group"] };

const WAYS = [
  { value: "matrix", label: "Matrix", hint: "A cell for every two groups" },
  { value: "ring", label: "Ring", hint: "All groups on a circle" },
] as const;

function Sub(props: { pane: string }) {
  const groups = aboutMachine.value?.groups ?? null;
  const open = optionIn(props.pane, "group");
  const parts = groups === null ? [] : [`${groups[0]} groups of ${groups[1]} routers`];
  return <HeadParts parts={open === "" ? parts : [`group ${open}`, ...parts]} />;
}

function Controls(props: { pane: string }) {
  const { pane } = props;
  const now = optionIn(pane, "groups-as");
  return (
    <>
      {optionIn(pane, "group") !== "" && (
        <button type="button" class="plain" title="Close the group" onClick={() => setOptionsIn(pane, { group: "" })}>
          all groups
        </button>
      )}
      <fieldset class="seg" aria-label="Groups as">
        {WAYS.map(({ value, label, hint }) => (
          <button
            key={value}
            type="button"
            aria-pressed={value === now}
            title={hint}
            onClick={() => setOptionsIn(pane, { "groups-as": value })}
          >
            {label}
          </button>
        ))}
      </fieldset>
    </>
  );
}

/** What a search for a router or a node of the machine finds. */
function finds(query: string) {
  const match = /^(router|node)\s+(\d{1,6})[.,](\d{1,6})(?:[.,](\d{1,6}))?$/i.exec(query);
  const groups = aboutMachine.value?.groups ?? null;
  if (match === null || groups === null) return null;
  const isNode = match[1]?.toLowerCase() === "node";
  const [group, router] = [Number(match[2]), Number(match[3])];
  if (isNode !== (match[4] !== undefined) || group >= groups[0] || router >= groups[1]) return null;
  const address = [group, router, ...(isNode ? [Number(match[4])] : [])];
  const label = `${isNode ? "node" : "router"} ${address.join(".")}`;
  return { label, detail: `group ${group}`, select: `nodes:${address.join(",")}` };
}

export const dragonfly: View = {
  ...NETWORK,
  ...OF_DRAGONFLY,
  name: "dragonfly",
  title: "Dragonfly",
  titleIn: (pane) => (optionIn(pane, "groups-as") === "ring" ? "Ring of groups" : "Groups by groups"),
  source,
  chooses: true,
  finds,
  Sub,
  Controls,
  Bar: Player,
};
