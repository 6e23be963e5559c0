/** Time and calls of every function, as a list or as a tree of who calls whom. */
import { OptionSelect, OptionToggle } from "./parts/controls";
import { HeadParts } from "./parts/head";
import type { View } from "./view";

const SORTS = {
  exclusive: "exclusive time",
  inclusive: "inclusive time",
  calls: "number of calls",
  longest: "longest call",
  imbalance: "imbalance",
  name: "name",
} as const;

export const profile: View = {
  name: "profile",
  title: "Profile",
  source: { view: "profile" },
  layouts: [{ name: "profile", title: "Profile", text: "1c(520profile,480histogram)" }],
  nothing: "No calls here.",
  Sub: () => <HeadParts parts={["all ranks of the filter together, in this window"]} />,
  Controls: () => (
    <>
      <OptionToggle name="tree" label="Call tree" />
      <span class="choice">
        Sort by:
        <OptionSelect name="sort" label="Sort by" class="title" words={SORTS} />
      </span>
    </>
  ),
};
