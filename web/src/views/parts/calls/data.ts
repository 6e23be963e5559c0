/** What the server says about the brushed rectangle. Views of calls and the timeline load it. */
import { type OptionName, type OptionValues, VIEWS } from "../../../api/options";
import { followed, option, optionParams, place, questionOf, rectangle, regionIds } from "../../../state/state";

/** How strongly calls are drawn is the page's own affair, and changes without a request. */
export const OPACITY_OPTIONS: readonly OptionName[] = ["opacity", "omin"];

const OTHERS = (VIEWS.calls?.options ?? []).filter((name) => !OPACITY_OPTIONS.includes(name) && name !== "colour");

/** Whether calls are told apart by what called them rather than by what they are. */
export function isByCaller(): boolean {
  return option("colour") === "caller";
}

/** Calls know two of the colours that other views have. */
export const callColour = (): Partial<OptionValues> => ({ colour: isByCaller() ? "caller" : "" });

export const brushed = followed("brush", {
  question: () => {
    const rect = rectangle.value;
    if (rect === null) return null;
    return questionOf({
      select: rect.ranks === null ? `window:${[...rect.time, ...rect.values].join(":")}` : rect.select,
      ranks: place.value.ranks,
      hide: regionIds(place.value.hidden).join(","),
      ...Object.fromEntries(optionParams(OTHERS)),
      ...(isByCaller() && { colour: "caller" }),
    });
  },
  onDemand: true,
});
