/** What colours mean beside steps, and without them. */
import type { OptionValues } from "../../../api/options";
import { hasSteps, option, setOptions } from "../../../state/state";

/** Callers are for calls, which have them without steps too. */
export type Colour = Exclude<OptionValues["colour"], "" | "caller">;

/** What colours of the timeline mean: what somebody chose, else the metric beside steps and functions without them. */
export function colourNow(): Colour {
  const chosen = option("colour");
  return chosen !== "" && chosen !== "caller" ? chosen : hasSteps.value ? "metric" : "function";
}

/** Colours by this, or again as usual. */
export function toggleColour(by: Colour): void {
  setOptions({ colour: colourNow() === by ? "" : by });
}
