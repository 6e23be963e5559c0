/** Where the page begins. */
import "./tokens.css";
import "./shell.css";
import "./dock.css";
import "./panels.css";
import "./controls.css";
import "./notes.css";
import "./tour.css";
import "./popups.css";
import "./message.css";
import { effect } from "@preact/signals";
import { render } from "preact";
import { printable } from "../base/format";
import { commands, focusedPane, offeredLayouts, place, start, startState, trace } from "../state/state";
import { allCommands } from "./commands";
import { currentPane } from "./dock-state";
import { startKeys } from "./keys";
import { Shell } from "./shell";
import { startSides } from "./sides";

const root = document.getElementById("app");
if (root) {
  startSides();
  startKeys();
  effect(() => {
    commands.value = allCommands();
  });
  effect(() => {
    document.title = trace.value ? `${printable(trace.value.name, 60)} · Heddle` : "Heddle";
  });
  // Figures and the status line are about one pane; without a choice, about the one that counts most.
  let last = "";
  effect(() => {
    const { layout } = place.value;
    if (layout !== last && offeredLayouts().some(({ name }) => name === layout)) focusedPane.value = null;
    last = layout;
    const pane = currentPane();
    if (pane) focusedPane.value = pane.id;
  });
  startState();
  void start();
  render(<Shell />, root);
}
