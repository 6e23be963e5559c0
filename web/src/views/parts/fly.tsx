/** Flying through pictures in space: its switch, and what the hand does meanwhile. */
import { flies } from "../../state/state";
import { Toggle } from "./controls";

export function FlyToggle() {
  return (
    <Toggle
      label="Fly"
      title="Fly through the picture with W A S D or arrows, Q and E; Shift is faster, a drag looks around (F)"
      on={flies.value}
      onChange={(on) => {
        flies.value = on;
      }}
    />
  );
}

/** What a drag does, in the head of a pane. */
export function spaceHint(): string {
  return flies.value
    ? "W A S D fly, Q E down and up, drag looks around, F or Esc ends"
    : "drag turns, right drag moves, Shift-drag selects";
}
