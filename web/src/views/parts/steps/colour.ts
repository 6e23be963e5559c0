/** What colours mean beside steps, and without them. */
import type { OptionValues } from "../../../api/options";
import { hasSteps, option, setOptions } from "../../../state/state";

export type Colour = Exclude<OptionValues["colour"], "">;

/** What colours of the timeline mean: what somebody chose, else the metric beside steps and functions without them. */
export function colourNow(): Colour {
  const chosen = option("colour");
  return chosen !== "" ? chosen : hasSteps.value ? "metric" : "function";
}

/** Colours by this, or again as usual. */
export function toggleColour(by: Colour): void {
  setOptions({ colour: colourNow() === by ? "" : by });
}
