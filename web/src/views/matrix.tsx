/** Senders by receivers: who sent how much to whom. */
import { drawn, rowNeeds, rowsAdjusted } from "../state/state";
import { ColourKey } from "./parts/colour-key";
import { OptionSelect } from "./parts/controls";
import { HeadParts } from "./parts/head";
import { Panel } from "./parts/panel";
import { RowsPanel } from "./parts/rows";
import type { View } from "./view";

/** What the colours mean, as the pane last said. */
function Key() {
  const bar = [...drawn.value.values()].find(({ view }) => view === matrix.name)?.bar;
  if (!bar) return null;
  return (
    <Panel title={bar.title} label="Colours of the matrix" testid="matrix-key">
      <ColourKey ends={bar.ends} bar={bar} />
    </Panel>
  );
}

export const matrix: View = {
  name: "matrix",
  title: "Communication matrix",
  source: { view: "matrix", adjust: rowsAdjusted },
  needs: rowNeeds,
  canWait: true,
  layouts: [
    {
      name: "matrix",
      title: "Matrix",
      text: "1r(560matrix,440timeline)",
      isFor: ({ messages }) => messages !== "0",
    },
  ],
  panels: { functions: [Key, RowsPanel] },
  nothing: "No messages to show here.",
  Sub: () => <HeadParts parts={["rows send, columns receive"]} />,
  Controls: () => <OptionSelect name="volume" label="Volume" class="title" />,
};
