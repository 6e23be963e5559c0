/** A torus in space: turned by hand, with the selection of all views. */
import { option, type Source } from "../state/state";
import { OptionToggle } from "./parts/controls";
import type { View } from "./view";

/** The camera is the page's own: turning asks for nothing. */
const source: Source = { view: "torus3d", own: ["turn", "zoom", "aim"] };

function Controls() {
  return (
    <>
      <OptionToggle name="links-in-2d" label="Links as in 2D" />
      <OptionToggle name="fade" label="Fade rest" />
      <OptionToggle name="process-grid" label="Process grid" />
    </>
  );
}

export const torus3d: View = {
  name: "torus3d",
  title: "3D torus",
  source,
  inSpace: true,
  needs: () => (option("nodes") === "cluster" ? ["network", "clusters"] : ["network"]),
  nothing: "There is no torus to show.",
  Sub: () => <>drag turns, right drag moves, Shift-drag selects</>,
  Controls,
};
