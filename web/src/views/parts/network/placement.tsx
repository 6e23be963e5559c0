/** Where ranks sit, which links messages take, and what nodes are coloured by; of a torus, its shape too. */
import { signal } from "@preact/signals";
import { printable } from "../../../base/format";
import { option, readOptions, setOptions } from "../../../state/state";
import { helpOf, OptionButtons, OptionToggle, Select } from "../controls";
import { DraftField } from "../draft";
import { Panel } from "../panel";
import { aboutMachine, machineKind, told } from "./data";
import { Shape } from "./topology";

/** Mappings that have names on every machine, besides what the trace says; and those of a torus. */
const PLAIN = ["block", "round-robin"];
const MAPPINGS = ["TXYZ", "XYZT", "tile", "tiltZ", "tiltZY", ...PLAIN];
const OTHER = "other …";

/** Whether somebody wants to write a mapping that has no name in the list. */
const isWriting = signal(false);

function Mapping() {
  const now = option("mapping");
  const isTorus = machineKind.value === "torus";
  const named = isTorus ? MAPPINGS : PLAIN;
  const isOwn = now !== "" && !named.includes(now);
  const choices = [
    { value: "", label: "as in the trace" },
    ...named.map((name) => ({ value: name, label: name })),
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
          placeholder={isTorus ? "letters, tile:2x8x8, a map file" : "a map file, a list of hosts"}
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
  const counters = aboutMachine.value?.node_counters ?? [];
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

/** What the two directions of a cable are called. */
const DIRECTIONS = {
  torus: [
    ["+", "Towards larger coordinates"],
    ["−", "Towards smaller coordinates"],
  ],
  "fat-tree": [
    ["↑", "Up, away from the nodes"],
    ["↓", "Down, towards the nodes"],
  ],
  dragonfly: [
    ["+", "From the end with the smaller number"],
    ["−", "From the end with the larger number"],
  ],
} as const;

/** Of a torus; other machines have a panel for it. */
function Routing() {
  const words: Readonly<Record<string, string>> = {
    asp: "all shortest paths",
    dor: "dimension by dimension",
    "dor-simgrid": "as SimGrid does",
  };
  const about = aboutMachine.value;
  return (
    <div class="field">
      <span class="what">Routing</span>
      <Select<string>
        class="boxed"
        label="Routing"
        title={helpOf("routing")}
        value={about?.routing ?? ""}
        choices={(about?.routings ?? []).map((value) => ({ value, label: words[value] ?? value }))}
        onChange={(routing) => setOptions({ ...readOptions({ routing }), loads: null })}
      />
    </div>
  );
}

export function PlacementPanel() {
  const isPredicted = (told.value?.origin ?? "predicted") === "predicted";
  const kind = machineKind.value;
  const [plus, minus] = DIRECTIONS[kind];
  return (
    <Panel title={kind === "torus" ? "Placement and routes" : "Placement"} testid="placement">
      {kind === "torus" && <Shape />}
      {isPredicted && (
        <>
          <Mapping />
          {kind === "torus" && <Routing />}
        </>
      )}
      <div class="field">
        <span class="what">Direction</span>
        <OptionButtons
          name="direction"
          label="Direction"
          choices={[
            { value: "mean", label: "mean", hint: "The mean of both directions" },
            { value: "plus", label: plus[0], hint: plus[1] },
            { value: "minus", label: minus[0], hint: minus[1] },
            { value: "sum", label: "sum", hint: "Both directions together" },
          ]}
        />
      </div>
      <NodesBy />
      {isPredicted && <OptionToggle class="option" name="only-selected" label="Only what the selection sends" />}
    </Panel>
  );
}
