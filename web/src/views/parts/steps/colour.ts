/** What colours mean beside steps, and without them. */
import type { OptionValues } from "../../../api/options";
import { hasSteps, option, setOptions } from "../../../state/state";

const COLOURS = ["function", "metric", "phase", "kind"] as const satisfies readonly OptionValues["colour"][];

/** Callers are for calls, and who waits for timelines; both have them without steps too. */
export type Colour = (typeof COLOURS)[number];

/** What colours of the timeline mean: what somebody chose, else the metric beside steps and functions without them. */
export function colourNow(): Colour {
  const chosen = option("colour");
  return COLOURS.find((one) => one === chosen) ?? (hasSteps.value ? "metric" : "function");
}

/** Colours by this, or again as usual. */
export function toggleColour(by: Colour): void {
  setOptions({ colour: colourNow() === by ? "" : by });
}
