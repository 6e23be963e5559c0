/** Senders by receivers: who sent how much to whom. */
import { printable } from "../base/format";
import { drawn, option, rowNeeds, rowsAdjusted, setOptions, trace } from "../state/state";
import { ColourKey } from "./parts/colour-key";
import { helpOf, OptionSelect, Select } from "./parts/controls";
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

/** The messages of one communicator, with its members as rows and columns. */
function OfCommunicator() {
  const known = trace.value?.communicators ?? [];
  if (known.length < 2) return null;
  const choices = known.map((one) => ({ value: String(one.id), label: printable(one.name, 30) }));
  return (
    <Select
      class="title"
      label="Communicator"
      title={`${helpOf("communicator")}. ${helpOf("members")}`}
      value={String(option("communicator") ?? "")}
      choices={[{ value: "", label: "any communicator" }, ...choices]}
      onChange={(value) => {
        const communicator = value === "" ? null : Number(value);
        setOptions({ communicator, members: communicator });
      }}
    />
  );
}

export const matrix: View = {
  name: "matrix",
  title: "Communication matrix",
  source: { view: "matrix", adjust: rowsAdjusted },
  needs: () => ["messages", ...rowNeeds()],
  area: true,
  filters: ["communicator", "members"],
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
  Controls: () => (
    <>
      <OptionSelect
        name="volume"
        label="Cells"
        class="title"
        words={{ bytes: "bytes", messages: "messages", bandwidth: "mean bandwidth", wait: "mean wait" }}
      />
      <OfCommunicator />
    </>
  ),
};
