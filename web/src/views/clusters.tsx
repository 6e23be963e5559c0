/** Ranks that behave alike, one row each, and a few ranks in focus above: thousands of timelines that can be read. */
import { OPTIONS } from "../api/options";
import { parseSelection } from "../api/selection";
import { formatCount } from "../base/format";
import {
  clusters as analysis,
  type Command,
  go,
  isOpen,
  option,
  place,
  setOptions,
  toggleCluster,
} from "../state/state";
import { STEPS } from "./logical";
import { helpOf, OptionToggle, Select } from "./parts/controls";
import { HeadParts } from "./parts/head";
import { ClusterOptionsPanel, scopeInSight, scopeWords } from "./parts/steps/cluster-options";
import type { View } from "./view";

/** The selected cluster; null if something else is. */
function selectedCluster(): number | null {
  const selected = place.value.selected === null ? null : parseSelection(place.value.selected);
  return selected?.kind === "cluster" ? selected.node : null;
}

/** Whose clusters they are. */
function Sub() {
  const about = analysis.ready.value;
  if (about === null) return null;
  const ranks = `${formatCount(about.ranks)} ranks in ${formatCount(about.leaves)} clusters`;
  return (
    <span data-testid="cluster-scope">
      <HeadParts parts={[scopeWords(about), ranks]} />
    </span>
  );
}

function Radius() {
  const radius = option("radius");
  return (
    <label class="omin" title={helpOf("radius")}>
      <span>Radius</span>
      <input
        type="range"
        aria-label={OPTIONS.radius.title}
        min={0}
        max={LARGEST_RADIUS}
        step={1}
        value={radius}
        onInput={(event) => setOptions({ radius: Number(event.currentTarget.value) }, "live")}
      />
      <output>{radius}</output>
    </label>
  );
}

function FocusChoice() {
  const focus = option("focus");
  const own = /^\d+$/.test(focus) ? [{ value: focus, label: `rank ${formatCount(focus)}` }] : [];
  return (
    <Select<string>
      class="boxed"
      label={OPTIONS.focus.title}
      title={helpOf("focus")}
      value={focus}
      choices={[{ value: "max", label: "focus: largest value" }, { value: "medoid", label: "focus: medoid" }, ...own]}
      onChange={(value) => setOptions({ focus: value })}
    />
  );
}

function Controls() {
  return (
    <span class="cluster-controls">
      <Radius />
      <FocusChoice />
      <OptionToggle name="messages" label="Messages" />
    </span>
  );
}

const LARGEST_RADIUS = 4;

function setRadius(by: number): void {
  setOptions({ radius: Math.min(Math.max(option("radius") + by, 0), LARGEST_RADIUS) });
}

function commands(): Command[] {
  const node = selectedCluster();
  const selected = place.value.selected === null ? null : parseSelection(place.value.selected);
  const own: Command[] = [
    {
      title: "Open or close the selected cluster",
      group: "Select",
      press: { key: "o" },
      ready: () => node !== null && isOpen(node) !== null,
      run: () => node !== null && toggleCluster(node),
    },
    { title: "More ranks in focus", group: "Panes", run: () => setRadius(1) },
    { title: "Fewer ranks in focus", group: "Panes", run: () => setRadius(-1) },
    { title: "Cluster the steps in sight", group: "Panes", run: () => setOptions({ scope: scopeInSight() }) },
    { title: "Cluster the whole run", group: "Panes", run: () => setOptions({ scope: "run" }) },
    {
      title: "Focus on the medoid of the selected cluster",
      group: "Select",
      ready: () => node !== null,
      run: () => setOptions({ focus: "medoid" }),
    },
    {
      title: "Focus on the selected rank",
      group: "Select",
      ready: () => selected?.kind === "event",
      run: () => selected?.kind === "event" && setOptions({ focus: String(selected.rank) }),
    },
  ];
  if (selected?.kind === "phase") {
    const { number } = selected;
    own.push({
      title: "Cluster the selected phase",
      group: "Select",
      run: () => {
        setOptions({ scope: `phase:${number}` });
        go({ selected: `phase:${number}` }, "live");
      },
    });
  }
  return [...STEPS.commands(), ...own];
}

export const clusters: View = {
  ...STEPS,
  name: "clusters",
  title: "Clusters",
  nothing: "No events of these clusters here.",
  source: { view: "clusters", adjust: () => ({ colour: "" }) },
  needs: () => ["logical", "clusters"],
  tree: true,
  toggle: toggleCluster,
  panels: { ...STEPS.panels, functions: [...STEPS.panels.functions, ClusterOptionsPanel] },
  commands,
  Sub,
  Controls,
};
