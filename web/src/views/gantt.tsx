/** What workers do over time: how busy those of each node and kind are by type of task, or every task of each worker. */
import { printable } from "../base/format";
import { joined } from "../base/words";
import { changedIn, go, optionIn, place, setOptionsIn } from "../state/state";
import { helpOf, Select, Toggle } from "./parts/controls";
import { HeadParts } from "./parts/head";
import { told } from "./parts/progress/data";
import { PROGRESS } from "./parts/progress/shared";
import type { View } from "./view";

/** What a row is. */
function Sub(props: { pane: string }) {
  const { ranks } = place.value;
  const nodes = ranks === "" ? "each node" : `nodes ${ranks.replaceAll(",", ", ")}`;
  if (optionIn(props.pane, "lanes") === "workers") return <HeadParts parts={[nodes, "a row per worker, every task"]} />;
  const kinds = (told.value?.kinds ?? []).map(({ name }) => (name === "" ? "all workers" : printable(name, 20)));
  const order = kinds.length === 2 ? `${kinds[0]} above, ${kinds[1]} below` : joined(kinds);
  return <HeadParts parts={[`${nodes}: ${order}`, "height = busy share"]} />;
}

function Controls(props: { pane: string }) {
  const { pane } = props;
  const isDetail = optionIn(pane, "lanes") === "workers" && place.value.ranks !== "";
  return (
    <>
      {isDetail && (
        <button
          type="button"
          class="tool"
          title="Back to all nodes, workers of a kind together"
          onClick={() => go({ ...changedIn(pane, { lanes: "kinds" }), ranks: "", rows: null }, "push")}
        >
          All nodes
        </button>
      )}
      <span class="choice">
        <Select
          class="title"
          label="Rows"
          title={helpOf("lanes")}
          value={optionIn(pane, "lanes")}
          choices={[
            { value: "kinds", label: "Rows: kinds" },
            { value: "workers", label: "Rows: workers" },
          ]}
          onChange={(lanes) => go({ ...changedIn(pane, { lanes }), rows: null }, "push")}
        />
      </span>
      <span class="choice">
        <Select
          class="title"
          label="Order of nodes"
          title={helpOf("node-order")}
          value={optionIn(pane, "node-order")}
          choices={[
            { value: "group", label: "Order: group" },
            { value: "number", label: "Order: number" },
          ]}
          onChange={(order) => setOptionsIn(pane, { "node-order": order })}
        />
      </span>
      <Toggle
        label="Outliers"
        title={helpOf("outliers")}
        on={optionIn(pane, "outliers")}
        onChange={(outliers) => setOptionsIn(pane, { outliers })}
      />
    </>
  );
}

export const gantt: View = {
  ...PROGRESS,
  name: "gantt",
  title: "Gantt",
  source: { view: "gantt", perPane: ["lanes", "node-order", "outliers"] },
  // The types of tasks beside it say what its colours mean.
  hasLegend: true,
  ownRows: true,
  // Workers have names.
  isNarrow: ({ lanes = "kinds" }) => lanes === "kinds",
  beside: true,
  Sub,
  Controls,
};
