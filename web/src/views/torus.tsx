/** A torus projected to a plane: every node, and the links that can be drawn without one crossing another. */
import { type Command, go, option, place, setOptions } from "../state/state";
import { OptionButtons } from "./parts/controls";
import { HeadParts } from "./parts/head";
import { machine, nextView, told } from "./parts/network/data";
import { NETWORK_LAYOUT } from "./parts/network/layout";
import { nodeOf } from "./parts/network/planes";
import { Player } from "./parts/network/player";
import { MOTION_OPTIONS, NETWORK, OF_TORUS } from "./parts/network/shared";
import type { View } from "./view";

function Sub() {
  const [along, about] = [told.value?.axes[0] ?? "", machine.known.value];
  const cuts = (told.value?.cuts ?? []).map(([name, at]) => `${name} = ${at}`).join(", ");
  const nodes = about === null ? "" : `${about.nodes.toLocaleString("en-US")} nodes`;
  const parts = [along === "" ? "" : `along ${along}`, cuts === "" ? nodes : `cut at ${cuts}`];
  return <HeadParts parts={parts.filter((part) => part !== "")} />;
}

function Controls() {
  if (told.value === null) return null;
  const [, across, down] = told.value.axes;
  return (
    <>
      <OptionButtons
        name="links"
        label="Links"
        choices={[
          { value: "concentric", label: "Concentric", hint: "Links within rings about the centre" },
          { value: "horizontal", label: `${across} only`, hint: `All links along ${across}` },
          { value: "vertical", label: `${down} only`, hint: `All links along ${down}` },
        ]}
      />
      {(place.value.across ?? place.value.down) !== null && (
        <button
          type="button"
          class="plain"
          title="All of it (double-click)"
          onClick={() => go({ across: null, down: null }, "push")}
        >
          fit
        </button>
      )}
    </>
  );
}

function commands(): Command[] {
  const node = nodeOf(place.value.selected);
  return [
    {
      title: "Roll the torus: the selected node to the corner",
      group: "Select",
      ready: () => node !== null,
      run: () => setOptions({ roll: node ?? "" }),
    },
    {
      title: "Roll the torus back",
      group: "Panes",
      ready: () => option("roll") !== "",
      run: () => setOptions({ roll: "" }),
    },
    { title: "Look along the next dimension", group: "Panes", press: { key: "v" }, run: nextView },
    { title: "Draw all loads again", group: "Panes", run: () => setOptions({ loads: null }) },
  ];
}

export const torus: View = {
  ...NETWORK,
  name: "torus",
  title: "Projected torus",
  source: { view: "torus", own: MOTION_OPTIONS },
  moves: true,
  needs: () => (option("nodes") === "cluster" ? ["network", "clusters"] : ["network"]),
  ...OF_TORUS,
  beside: true,
  chooses: true,
  layouts: [NETWORK_LAYOUT],
  commands,
  Sub,
  Controls,
  Bar: Player,
};
