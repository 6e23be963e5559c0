/** Which rows timelines have: in which order, and whether a row stands for more than one rank. */
import { OPTIONS, type OptionValues } from "../../api/options";
import { option, setOptions, trace } from "../../state/state";
import { helpOf, Select } from "./controls";
import { Panel } from "./panel";

type Choice<N extends "order" | "fold"> = { value: OptionValues[N]; label: string; needs?: string };

/** `needs` is the view without which there is no such order: one that the trace has nothing for is not offered. */
const ORDERS: readonly Choice<"order">[] = [
  { value: "rank", label: "by rank" },
  { value: "cluster", label: "by cluster", needs: "clusters" },
  { value: "node", label: "by node" },
  { value: "lateness", label: "latest first", needs: "logical" },
];
const FOLDS: readonly Choice<"fold">[] = [
  { value: "none", label: "one row per rank" },
  { value: "cluster", label: "one row per cluster", needs: "clusters" },
  { value: "node", label: "one row per node" },
];

export function RowsPanel() {
  const info = trace.value;
  if (!info || info.ranks < 2) return null;
  const isOffered = ({ needs }: { needs?: string }) =>
    needs === undefined || (info.logical === true && info.views.includes(needs));
  return (
    <Panel
      title="Rows"
      testid="rows-options"
      beside={
        <Select
          class="title sort"
          label={OPTIONS.order.title}
          title={helpOf("order")}
          value={option("order")}
          choices={ORDERS.filter(isOffered)}
          onChange={(order) => setOptions({ order })}
        />
      }
    >
      <div class="choices">
        <Select
          class="boxed"
          label={OPTIONS.fold.title}
          title={helpOf("fold")}
          value={option("fold")}
          choices={FOLDS.filter(isOffered)}
          onChange={(fold) => setOptions({ fold })}
        />
      </div>
    </Panel>
  );
}
