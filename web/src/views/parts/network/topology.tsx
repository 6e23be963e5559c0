/** The machine: its shape, which one can write, and how that is known; of trees and dragonflies, how large it is. */
import { formatCount, plural, printable } from "../../../base/format";
import { option, resetOptions, setOptions } from "../../../state/state";
import { helpOf } from "../controls";
import { DraftField } from "../draft";
import { Facts, Panel } from "../panel";
import { aboutMachine, machine, machineKind } from "./data";

const KNOWN = {
  given: "",
  trace: "as the trace says",
  assumed: "assumed: the trace does not say",
} as const;

const LABELS = { torus: "Torus", "fat-tree": "Fat-tree", dragonfly: "Dragonfly" } as const;

/** How shapes are written; the server has the last word. */
const SHAPE = /^(?:(?:mesh:)?\d{1,6}(?:x\d{1,6}){0,7}|(?:fat-tree|dragonfly):\S+)$/;

/** Sizes that a shape is called by, without the name of its kind where that stands beside. */
function nameOfShape(): string {
  const about = aboutMachine.value;
  if (about === null) return "";
  return about.kind === "torus" ? about.dimensions.map(([, size]) => size).join("x") : about.shape;
}

export function Shape() {
  const about = aboutMachine.value;
  const state = machine.state.value;
  const failed = state?.state === "failed" ? state.error : null;
  const name = nameOfShape();
  return (
    <>
      <div class="field">
        <span class="what">{LABELS[machineKind.value]}</span>
        <DraftField
          label="Shape of the machine"
          fieldClass="grows"
          problemId="topology-problem"
          title={helpOf("topology")}
          applied={option("topology") || name}
          apply={(text) => {
            const asked = text.trim();
            if (asked !== "" && !SHAPE.test(asked) && !/[/.]/.test(asked))
              return "Write sizes such as 8x8x16 or mesh:8x8x16, fat-tree:4^6, dragonfly:9x4x2, or a file.";
            setOptions({ topology: asked === name && option("topology") === "" ? "" : asked, loads: null });
            return null;
          }}
        />
      </div>
      <div class="field">
        <span class="what">Per node</span>
        <DraftField
          label="Ranks per node"
          fieldClass="grows"
          problemId="per-node-problem"
          title={helpOf("ranks-per-node")}
          applied={String(option("ranks-per-node") || (about?.ranks_per_node ?? ""))}
          apply={(text) => {
            const number = text.trim() === "" ? 0 : Number(text);
            if (!Number.isInteger(number) || number < 0 || number > 1e6) return "Write how many ranks share a node.";
            setOptions({ "ranks-per-node": number, loads: null });
            return null;
          }}
        />
      </div>
      {failed !== null && (
        <>
          <p class="problem">{printable(failed, 300)}</p>
          <p class="leads">
            <button
              type="button"
              class="button"
              onClick={() => resetOptions(["topology", "mapping", "ranks-per-node", "routing", "pattern"])}
            >
              As the trace says
            </button>
          </p>
        </>
      )}
      {about !== null && KNOWN[about.known] !== "" && (
        <p class={about.known === "assumed" ? "hint" : "quiet"} data-testid="topology-known">
          {KNOWN[about.known]}
        </p>
      )}
    </>
  );
}

/** "6 layers × 1,024", or one number after the other where layers differ. */
export function layersText(layers: readonly number[]): string {
  const [first = 0] = layers;
  const count = `${formatCount(layers.length)} ${plural(layers.length, "layer")}`;
  if (layers.every((one) => one === first)) return `${count} × ${formatCount(first)}`;
  return `${count}: ${layers.map((one) => formatCount(one)).join(" + ")}`;
}

/** Of machines that are no torus: that has its sizes in its name. */
export function TopologyPanel() {
  const about = aboutMachine.value;
  if (machineKind.value === "torus") return null;
  const groups = about?.groups ?? null;
  const facts: [string, string][] =
    about === null
      ? []
      : [
          ["Nodes", formatCount(about.nodes)],
          groups === null
            ? ["Switches", layersText(about.layers)]
            : ["Routers", `${formatCount(groups[0])} groups × ${formatCount(groups[1])}`],
          ["Links", `${formatCount(about.links / 2)} cables`],
        ];
  return (
    <Panel title="Topology" testid="topology">
      <Shape />
      <Facts facts={facts} />
    </Panel>
  );
}
