/** The machine: its shape, where ranks sit, which links messages take, and what nodes are coloured by. */
import { signal } from "@preact/signals";
import { printable } from "../../../base/format";
import { option, resetOptions, setOptions } from "../../../state/state";
import { helpOf, OptionButtons, OptionSelect, OptionToggle, Select } from "../controls";
import { DraftField } from "../draft";
import { Panel } from "../panel";
import { machine, told } from "./data";

/** Mappings that have names, besides what the trace says. */
const MAPPINGS = ["TXYZ", "XYZT", "tile", "tiltZ", "tiltZY", "block", "round-robin"] as const;
const OTHER = "other …";

const KNOWN = {
  given: "",
  trace: "as the trace says",
  assumed: "assumed: the trace does not say",
} as const;

function Shape() {
  const about = machine.known.value ?? machine.state.value;
  const known = machine.known.value;
  const failed = about !== null && "state" in about && about.state === "failed" ? about.error : null;
  const sizes = known?.dimensions.map(([, size]) => size).join("x") ?? "";
  return (
    <>
      <div class="field">
        <span class="what">Torus</span>
        <DraftField
          label="Shape of the torus"
          fieldClass="grows"
          problemId="topology-problem"
          title={helpOf("topology")}
          applied={option("topology") || sizes}
          apply={(text) => {
            const asked = text.trim();
            const isShape = /^(?:mesh:)?\d{1,6}(?:x\d{1,6}){0,7}$/.test(asked) || /[/.]/.test(asked);
            if (asked !== "" && !isShape) return "Write sizes such as 8x8x16, mesh:8x8x16, or a platform file.";
            setOptions({ topology: asked === sizes && option("topology") === "" ? "" : asked, loads: null });
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
          applied={String(option("ranks-per-node") || (known?.ranks_per_node ?? ""))}
          apply={(text) => {
            const number = text.trim() === "" ? 0 : Number(text);
            if (!Number.isInteger(number) || number < 0 || number > 1e6) return "Write how many ranks share a node.";
            setOptions({ "ranks-per-node": number, loads: null });
            return null;
          }}
        />
      </div>
      {failed !== null && <p class="problem">{printable(failed, 300)}</p>}
      {known !== null && KNOWN[known.known] !== "" && (
        <p class={known.known === "assumed" ? "hint" : "quiet"} data-testid="topology-known">
          {KNOWN[known.known]}
        </p>
      )}
    </>
  );
}

/** Whether somebody wants to write a mapping that has no name in the list. */
const isWriting = signal(false);

function Mapping() {
  const now = option("mapping");
  const isOwn = now !== "" && !MAPPINGS.some((name) => name === now);
  const choices = [
    { value: "", label: "as in the trace" },
    ...MAPPINGS.map((name) => ({ value: name as string, label: name as string })),
    ...(isOwn ? [{ value: now, label: printable(now, 40) }] : []),
    { value: OTHER, label: OTHER },
  ];
  return (
    <>
      <div class="field">
        <span class="what">Mapping</span>
        <Select<string>
          class="boxed"
          label="Mapping"
          title={helpOf("mapping")}
          value={isWriting.value ? OTHER : now}
          choices={choices}
          onChange={(mapping) => {
            isWriting.value = mapping === OTHER;
            if (mapping !== OTHER) setOptions({ mapping });
          }}
        />
      </div>
      {(isWriting.value || isOwn) && (
        <DraftField
          label="Mapping, in words"
          placeholder="letters, tile:2x8x8, a map file"
          title={helpOf("mapping")}
          applied={isOwn ? now : ""}
          apply={(text) => {
            isWriting.value = false;
            setOptions({ mapping: text.trim() });
            return null;
          }}
        />
      )}
    </>
  );
}

function NodesBy() {
  const counters = machine.known.value?.node_counters ?? [];
  const words = ["plain", "traffic", "rank", "communicator", "sub-domain", "cluster"];
  const now = option("nodes");
  const all = [...new Set([...words, ...counters.map((name) => `counter:${name}`), now])];
  return (
    <div class="field">
      <span class="what">Nodes by</span>
      <Select<string>
        class="boxed"
        label="Nodes by"
        title={helpOf("nodes")}
        value={now}
        choices={all.map((value) => ({ value, label: printable(value.replace(/^counter:/, ""), 40) }))}
        onChange={(nodes) => setOptions({ nodes })}
      />
    </div>
  );
}

export function PlacementPanel() {
  const isPredicted = (told.value?.origin ?? "predicted") === "predicted";
  return (
    <Panel title="Placement and routes" testid="placement">
      <Shape />
      {isPredicted && (
        <>
          <Mapping />
          <div class="field">
            <span class="what">Routing</span>
            <OptionSelect
              class="boxed"
              name="routing"
              label="Routing"
              words={{
                asp: "all shortest paths",
                dor: "dimension by dimension",
                "dor-simgrid": "as SimGrid does",
              }}
            />
          </div>
        </>
      )}
      <div class="field">
        <span class="what">Direction</span>
        <OptionButtons
          name="direction"
          label="Direction"
          choices={[
            { value: "mean", label: "mean", hint: "The mean of both directions" },
            { value: "plus", label: "+", hint: "Towards larger coordinates" },
            { value: "minus", label: "−", hint: "Towards smaller coordinates" },
            { value: "sum", label: "sum", hint: "Both directions together" },
          ]}
        />
      </div>
      <NodesBy />
      {isPredicted && <OptionToggle class="option" name="only-selected" label="Only what the selection sends" />}
      {machine.state.value?.state === "failed" && (
        <p class="leads">
          <button type="button" class="button" onClick={() => resetOptions(["topology", "mapping", "ranks-per-node"])}>
            As the trace says
          </button>
        </p>
      )}
    </Panel>
  );
}
