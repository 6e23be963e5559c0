/** A few views as the page registers them, for tests of the state, which knows none. */
import { registerViews, type ViewKind } from "./views";

export const TEST_VIEWS: ViewKind[] = [
  {
    name: "activity",
    source: { view: "activity" },
    layouts: [{ name: "overview", title: "Overview", text: "1c(260activity,740timeline)" }],
  },
  {
    name: "logical",
    source: { view: "logical" },
    needs: () => ["logical"],
    layouts: [
      {
        name: "logical",
        title: "Logical time",
        text: "1c(545logical,350timeline,105metric)",
        isFirst: ({ ranks }) => ranks < 10,
        intro: () => "look here.",
      },
    ],
  },
  { name: "metric", source: { view: "metric", whole: true } },
  { name: "calls", source: { view: "calls", own: ["omin"] }, wide: true, draws: ["window"] },
  { name: "closer", source: { view: "calls", fixed: { style: "lines" }, closer: true } },
  { name: "apart", source: { view: "calls", perPane: ["style", "y"] } },
  { name: "timeline", source: { view: "timeline" }, canWait: true, needs: () => [] },
];

registerViews(TEST_VIEWS);
