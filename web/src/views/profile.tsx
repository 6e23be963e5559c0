/** Time and calls of every function: as a list, as a tree of who calls whom, or rank by rank. */
import { useEffect, useState } from "preact/hooks";
import { type Command, focusedPane, optionIn, place, setOptionsIn } from "../state/state";
import { helpOf, LinkButton, OptionSelect } from "./parts/controls";
import { HeadParts } from "./parts/head";
import type { View } from "./view";

const SORTS = {
  time: "time",
  exclusive: "exclusive time",
  inclusive: "inclusive time",
  calls: "number of calls",
  mean: "mean call",
  shortest: "shortest call",
  longest: "longest call",
  most: "rank with most",
  least: "rank with least",
  imbalance: "imbalance",
  name: "name",
} as const;

const LISTS = [
  { label: "Functions", rows: "function", hint: "A row for each function", tree: false, ranks: false },
  {
    label: "Call tree",
    rows: "call path",
    hint: "A row for each call path, below what it was called from (--tree)",
    tree: true,
    ranks: false,
  },
  {
    label: "Ranks",
    rows: "rank",
    hint: "A row for each rank, with the numbers of the row that was last clicked (--by-rank)",
    tree: null,
    ranks: true,
  },
] as const;

function show(pane: string, { tree, ranks }: (typeof LISTS)[number]): void {
  setOptionsIn(pane, { ...(tree !== null && { tree }), "by-rank": ranks, "first-row": 0 });
}

/** What rows stand for. */
function Lists({ pane }: { pane: string }) {
  const [isTree, isRanks] = [optionIn(pane, "tree"), optionIn(pane, "by-rank")];
  return (
    <fieldset class="seg" aria-label="Rows">
      {LISTS.map((list) => (
        <button
          key={list.label}
          type="button"
          aria-pressed={list.ranks ? isRanks : !isRanks && list.tree === isTree}
          title={list.hint}
          onClick={() => show(pane, list)}
        >
          {list.label}
        </button>
      ))}
    </fieldset>
  );
}

/** Letters follow each other faster than pictures: only what somebody has come to is searched for. */
const REST_MS = 150;

function Search({ pane }: { pane: string }) {
  const searched = optionIn(pane, "search");
  const [typed, setTyped] = useState(searched);
  useEffect(() => setTyped(searched), [searched]);
  useEffect(() => {
    if (typed === searched) return undefined;
    const rest = setTimeout(() => setOptionsIn(pane, { search: typed, "first-row": 0 }, "live"), REST_MS);
    return () => clearTimeout(rest);
  }, [typed]);
  return (
    <input
      type="search"
      class="pane-search"
      aria-label="Search rows"
      placeholder="Search rows"
      title={helpOf("search")}
      value={typed}
      maxLength={200}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape" && typed !== "") {
          event.stopPropagation();
          setTyped("");
        }
      }}
    />
  );
}

/** Opens or closes all call paths. */
function Branches({ pane }: { pane: string }) {
  if (!optionIn(pane, "tree") || optionIn(pane, "by-rank")) return null;
  const set = (branches: string) => () => setOptionsIn(pane, { branches, "first-row": 0 });
  return (
    <span class="branches">
      <LinkButton title="Open all call paths" onClick={set("all")}>
        unfold
      </LinkButton>
      <LinkButton title="Close all call paths" onClick={set("none")}>
        fold
      </LinkButton>
      {optionIn(pane, "branches") !== "" && (
        <LinkButton title="Open what has room, along the way to where time is spent" onClick={set("")}>
          fit
        </LinkButton>
      )}
    </span>
  );
}

function Sub({ pane }: { pane: string }) {
  const what = optionIn(pane, "by-rank") ? "each rank of the filter" : "all ranks of the filter together";
  return <HeadParts parts={[`${what}, in this window`]} />;
}

/** Whether only what somebody searches for is listed. */
function isSearched(): boolean {
  return place.value.layout.includes("search=");
}

/** In the pane that was last used, if it shows a profile; else in the first that does. */
function commands(): Command[] {
  const last = focusedPane.value ?? "";
  const pane = last.startsWith("profile") ? last : "profile";
  const rows = LISTS.map(
    (list): Command => ({ title: `Profile by ${list.rows}`, group: "Panes", run: () => show(pane, list) }),
  );
  return [
    ...rows,
    { title: "Open all call paths", group: "Panes", run: () => setOptionsIn(pane, { tree: true, branches: "all" }) },
    { title: "Close all call paths", group: "Panes", run: () => setOptionsIn(pane, { tree: true, branches: "none" }) },
  ];
}

export const profile: View = {
  name: "profile",
  title: "Profile",
  source: { view: "profile", perPane: ["by-rank", "search", "first-row"] },
  scrolls: (pane, first) => setOptionsIn(pane, { "first-row": first }, "live"),
  layouts: [{ name: "profile", title: "Profile", text: "1c(520profile,480histogram)" }],
  nothing: () => (isSearched() ? "No name has that in it." : "No calls here."),
  Sub,
  commands,
  Controls: ({ pane }) => (
    <>
      <Lists pane={pane} />
      <Branches pane={pane} />
      <Search pane={pane} />
      <span class="choice">
        Sort by:
        <OptionSelect name="sort" label="Sort by" class="title" words={SORTS} />
      </span>
    </>
  ),
};
