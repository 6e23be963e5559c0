/** How well the time of ranks is used: the efficiencies as a tree, and what is lost to what. Both follow the brush. */
import type { EfficiencyColumn } from "../../../api/types";
import { formatTime } from "../../../base/format";
import { roundedTogether } from "../../../base/together";
import { timeWords } from "../../../pane/words";
import { efficiency, wholeTime } from "../../../state/state";
import { Panel } from "../panel";
import { efficiencyColumns, isComing } from "./data";
import { grow } from "./split";

type Factor = "parallel" | "load_balance" | "communication" | "serialisation" | "transfer";

const TREE: { name: string; of: Factor; depth: number; means: string }[] = [
  { name: "Parallel", of: "parallel", depth: 0, means: "Useful time of all ranks: load balance × communication" },
  { name: "Load balance", of: "load_balance", depth: 1, means: "Mean useful time of a rank by the longest" },
  {
    name: "Communication",
    of: "communication",
    depth: 1,
    means: "Longest useful time of a rank by the length: serialisation × transfer",
  },
  {
    name: "Serialisation",
    of: "serialisation",
    depth: 2,
    means: "What waiting for each other leaves of it, with messages that take no time",
  },
  { name: "Transfer", of: "transfer", depth: 2, means: "What sending and receiving leave of it" },
];

const GOOD = 0.8;
const FAIR = 0.6;

function grade(value: number): "good" | "fair" | "poor" {
  return value >= GOOD ? "good" : value >= FAIR ? "fair" : "poor";
}

function figure(value: number): string {
  return value.toFixed(2);
}

function spanOf({ from_ns, to_ns }: EfficiencyColumn): string {
  return timeWords([Number(from_ns), Number(to_ns)]);
}

/** What the first column is about; the onset that parts the others. */
function About(props: { columns: readonly EfficiencyColumn[] }) {
  const cut = efficiency.answer.value?.cut_ns ?? null;
  const first = props.columns[0];
  if (first?.name === "window") return <>{spanOf(first)}</>;
  return <>{cut === null ? "" : `cut at ${formatTime(Number(cut), wholeTime.value[1] / 100)}`}</>;
}

export function EfficiencyTree() {
  const columns = efficiencyColumns();
  const first = columns[0];
  if (first === undefined) return isComing() ? <Panel title="Efficiency" class="efficiency" busy /> : null;
  return (
    <Panel title="Efficiency" testid="efficiency" class="efficiency">
      <table class={`eff of-${columns.length}`}>
        <thead>
          <tr>
            <th scope="col" class="of">
              <About columns={columns} />
            </th>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={column.name} title={spanOf(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {TREE.map(({ name, of, depth, means }) => (
            <tr key={of} data-factor={of} class={`depth-${depth}`} title={means}>
              <th scope="row">
                {name}
                <span class="track" aria-hidden="true">
                  <span class={grade(first[of])} style={{ width: `${Math.min(first[of], 1) * 100}%` }} />
                </span>
              </th>
              {columns.map((column) => (
                <td key={column.name} class={column.name}>
                  {figure(column[of])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

const LOSSES = ["imbalance", "serialisation", "transfer"] as const;

export function Lost() {
  const first = efficiencyColumns()[0];
  if (first === undefined) return null;
  const shares = LOSSES.map((name) => Math.max(first.lost[name], 0) * 100);
  const total = Math.round((1 - first.parallel) * 1000) / 10;
  const figures = roundedTogether(shares, 0.1, total);
  return (
    <Panel title="Lost" testid="lost" class="lost-panel" beside={<span>{total.toFixed(1)} %</span>}>
      <div class="bar-row thin" aria-hidden="true">
        {LOSSES.map((name, at) => (
          <span key={name} class={`part ${name}`} style={grow(shares[at] ?? 0)} />
        ))}
      </div>
      <ul>
        {LOSSES.map((name, at) => (
          <li key={name} class="loss">
            <span class={`sw ${name}`} />
            {name}
            <span class="n">{(figures[at] ?? 0).toFixed(1)} %</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
