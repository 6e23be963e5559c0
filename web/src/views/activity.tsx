/** The stacked activity of all ranks over time: how many are in which communication, the rest computes. */
import { isWide } from "../state/state";
import { computingShare } from "./shares";
import type { View } from "./view";

function Controls() {
  const share = computingShare();
  // Beside calls, the picture itself has the number.
  if (share === null || isWide.value) return null;
  return (
    <span class="fact" title="Share of the window's time that ranks spend outside communication">
      <b>{share.toFixed(1)} %</b> computing
    </span>
  );
}

export const activity: View = {
  name: "activity",
  title: "Activity",
  about: "How many ranks are in which communication function, stacked, over time.",
  y: "value",
  Controls,
};
