/** A torus in space: turned by hand, with the selection of all views. */
import { option, type Source } from "../state/state";
import { OptionToggle } from "./parts/controls";
import { FlyToggle, spaceHint } from "./parts/fly";
import { Player } from "./parts/network/player";
import { MOTION_OPTIONS, OF_TORUS } from "./parts/network/shared";
import type { View } from "./view";

/** The camera is the page's own, and so is motion: turning asks for nothing. */
const source: Source = { view: "torus3d", own: ["turn", "zoom", "aim", ...MOTION_OPTIONS] };

function Controls() {
  return (
    <>
      <OptionToggle name="links-in-2d" label="Links as in 2D" />
      <OptionToggle name="fade" label="Fade rest" />
      <OptionToggle name="process-grid" label="Process grid" />
      <FlyToggle />
    </>
  );
}

export const torus3d: View = {
  name: "torus3d",
  title: "3D torus",
  source,
  inSpace: true,
  moves: true,
  needs: () => (option("nodes") === "cluster" ? ["network", "clusters"] : ["network"]),
  ...OF_TORUS,
  Sub: () => <>{spaceHint()}</>,
  Controls,
  Bar: Player,
};
