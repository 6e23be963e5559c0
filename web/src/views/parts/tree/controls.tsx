/** Controls of a pane of a fat-tree: its representation, its pod, whether it lies flat; and what can be split. */
import { parseSelection, type Selection } from "../../../api/selection";
import { splitPane } from "../../../state/dock-tree";
import {
  type Command,
  dock,
  drawn,
  optionIn,
  place,
  readOptions,
  setDock,
  setOptionsIn,
  textsOf,
  usual,
} from "../../../state/state";
import { helpOf, Select } from "../controls";
import { FlyToggle } from "../fly";
import { aboutMachine } from "../network/data";
import { shownAs, treePane } from "./panes";
import { nodesOf, type Pod, podOfSwitches, podsOf, podWords, readPod, writePod } from "./pods";
import { REPRESENTATIONS, representationOf } from "./representations";
import "./tree.css";

/** A tilted plan, as degrees around and above. */
const TILT = "35:40";

/** The same pod in a pane of its own beside this one, in another representation. */
function addBeside(pane: string, as: string): void {
  const own = textsOf({ ...readOptions({ as }), within: optionIn(pane, "within") });
  setDock(splitPane(dock.value, pane, "row", { view: "fattree", own }));
}

function Representation(props: { pane: string }) {
  const { pane } = props;
  const now = representationOf(pane);
  const show = (as: string) => setOptionsIn(pane, shownAs(as));
  return (
    <>
      <fieldset class="seg" aria-label="Representation">
        {REPRESENTATIONS.map(({ name, label, title, hint }) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === now}
            title={`${title}: ${hint}`}
            onClick={() => show(name)}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <Select<string>
        class="boxed instead"
        label="Representation, as a list"
        title={helpOf("as")}
        value={now}
        choices={REPRESENTATIONS.map(({ name, label }) => ({ value: name, label }) as const)}
        onChange={show}
      />
    </>
  );
}

/** Which part of the machine: pods of some size, one after the other. */
function PodChoice(props: { pane: string }) {
  const { pane } = props;
  const pods = aboutMachine.value?.pods ?? [];
  const pod = readPod(optionIn(pane, "within"));
  // The last layer has the whole machine in one pod.
  const layers = pods.flatMap((count, at) => (count > 1 ? [at + 1] : []));
  if (layers.length === 0) return null;
  const words = (layer: number) => {
    const nodes = nodesOf(layer);
    return nodes === null ? `a pod of layer ${layer}` : `${nodes.toLocaleString("en-US")} nodes`;
  };
  const show = (within: string) =>
    setOptionsIn(pane, { within, zoom: usual("zoom"), aim: usual("aim"), split: usual("split") });
  const step = (by: number) => {
    if (pod === null) return;
    const count = podsOf(pod.layer);
    show(writePod({ ...pod, number: (pod.number + by + count) % count }));
  };
  /** The pod of another size that has the first node of this one. */
  const resized = (layer: number) => {
    const first = pod === null ? 0 : pod.number * (nodesOf(pod.layer) ?? 0);
    show(writePod({ layer, number: Math.floor(first / (nodesOf(layer) ?? Number.POSITIVE_INFINITY)) }));
  };
  return (
    <span class="pods">
      {pod !== null && (
        <button type="button" class="plain" aria-label="Previous pod" title="Previous pod" onClick={() => step(-1)}>
          ‹
        </button>
      )}
      <Select<string>
        class="boxed"
        label="Part of the machine"
        title={helpOf("within")}
        value={pod === null ? "" : String(pod.layer)}
        choices={[
          { value: "", label: "whole machine" },
          ...layers.map((layer) => ({
            value: String(layer),
            label: layer === pod?.layer ? podWords(writePod(pod)) : `one of ${words(layer)}`,
          })),
        ]}
        onChange={(layer) => (layer === "" ? show("") : resized(Number(layer)))}
      />
      {pod !== null && (
        <button type="button" class="plain" aria-label="Next pod" title="Next pod" onClick={() => step(1)}>
          ›
        </button>
      )}
    </span>
  );
}

/** Tilts a plan, or lays it flat again. */
function Tilt(props: { pane: string }) {
  const { pane } = props;
  if (drawn.value.get(pane)?.isPlan !== true) return null;
  const isTilted = optionIn(pane, "turn") !== usual("turn");
  return (
    <button
      type="button"
      class="plain tilt"
      aria-pressed={isTilted}
      title={isTilted ? "Lay it flat" : "Tilt it, and turn it by hand"}
      onClick={() =>
        setOptionsIn(pane, { turn: isTilted ? usual("turn") : TILT, aim: usual("aim"), zoom: usual("zoom") })
      }
    >
      3D
    </button>
  );
}

/** The block of switches that is selected, or that these are switches of. */
function blockOf(selected: Selection | null): Pod | null {
  const parsed = selected === null ? null : parseSelection(selected);
  const match = parsed?.kind === "nodes" ? /^(\d+),(\d+)(?:-(\d+))?$/.exec(parsed.nodes) : null;
  const layer = Number(match?.[1] ?? 0);
  return match === null || layer === 0 ? null : podOfSwitches(layer, Number(match[2]), Number(match[3] ?? match[2]));
}

/** Draws a block switch by switch, or as one again. */
export function opensBlock(pane: string, selected: Selection): boolean {
  const block = blockOf(selected);
  if (representationOf(pane) !== "lb" || block === null) return false;
  setOptionsIn(pane, { split: toggledBlock(optionIn(pane, "split"), writePod(block)) });
  return true;
}

/** The option with a block split into its switches, or joined again. */
export function toggledBlock(split: string, block: string): string {
  const all = split.split(";").filter((one) => one !== "");
  return (all.includes(block) ? all.filter((one) => one !== block) : [...all, block]).join(";");
}

function SplitBlock(props: { pane: string }) {
  const { pane } = props;
  const block = blockOf(place.value.selected);
  if (representationOf(pane) !== "lb" || block === null) return null;
  const [name, split] = [writePod(block), optionIn(pane, "split")];
  const isSplit = split.split(";").includes(name);
  return (
    <button
      type="button"
      class="plain"
      title={isSplit ? "Draw the selected block as one" : "Draw the selected block switch by switch"}
      onClick={() => setOptionsIn(pane, { split: toggledBlock(split, name) })}
    >
      {isSplit ? "Join" : "Split"}
    </button>
  );
}

function AddBeside(props: { pane: string }) {
  return (
    <select
      class="boxed arrange"
      aria-label="Add a representation beside"
      title="Add a representation beside this one"
      value=""
      onChange={(event) => {
        addBeside(props.pane, event.currentTarget.value);
        event.currentTarget.value = "";
      }}
    >
      <option value="">+</option>
      {REPRESENTATIONS.map(({ name, label, title }) => (
        <option key={name} value={name}>
          {label} {title}
        </option>
      ))}
    </select>
  );
}

export function TreeControls(props: { pane: string }) {
  const { pane } = props;
  return (
    <>
      <SplitBlock pane={pane} />
      <PodChoice pane={pane} />
      <Representation pane={pane} />
      <Tilt pane={pane} />
      {drawn.value.get(pane)?.isPlan !== true && <FlyToggle />}
      <AddBeside pane={pane} />
    </>
  );
}

export function commands(): Command[] {
  const pane = treePane();
  if (pane === null) return [];
  return [
    ...REPRESENTATIONS.map(
      ({ name, label, title }): Command => ({
        title: `Show as ${label}: ${title}`,
        group: "Panes",
        run: () => setOptionsIn(pane, shownAs(name)),
      }),
    ),
    {
      title: "Split or join the selected block",
      group: "Panes",
      ready: () => blockOf(place.value.selected) !== null && representationOf(pane) === "lb",
      run: () => opensBlock(pane, place.value.selected ?? ""),
    },
  ];
}

/** What a search for a switch or a node of the machine finds. */
export function findsSwitch(query: string) {
  const match = /^(switch|node)\s+(\d{1,9})(?:[.,](\d{1,9}))?$/i.exec(query);
  const about = aboutMachine.value;
  if (match === null || about === null) return null;
  const isNode = match[1]?.toLowerCase() === "node";
  const [layer, number] = isNode ? [0, Number(match[2])] : [Number(match[2]), Number(match[3] ?? Number.NaN)];
  const count = isNode ? about.nodes : (about.layers[layer - 1] ?? 0);
  if (!(number < count) || (isNode && match[3] !== undefined)) return null;
  const label = isNode ? `node ${number}` : `switch ${layer}.${number}`;
  return { label, detail: isNode ? "of the machine" : `layer ${layer}`, select: `nodes:${layer},${number}` };
}
