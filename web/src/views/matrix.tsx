/** Senders by receivers: who sent how much to whom. */
import { OptionSelect } from "./parts/controls";
import type { View } from "./view";

export const matrix: View = {
  name: "matrix",
  title: "Communication matrix",
  source: { view: "matrix" },
  layouts: [{ name: "matrix", title: "Matrix", text: "1r(560matrix,440timeline)" }],
  Sub: () => <>rows send, columns receive</>,
  Controls: () => <OptionSelect name="volume" label="Volume" class="title" />,
};
