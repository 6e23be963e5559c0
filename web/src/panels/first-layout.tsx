/** One line that says why the page began with this layout, and where the others are; once it is dismissed, never again. */
import { dismissFirstLayout, firstLayoutWords } from "../state/state";
import { IconButton } from "./icon-button";
import { CloseIcon } from "./icons";

export function FirstLayout() {
  const words = firstLayoutWords.value;
  if (words === null) return null;
  return (
    <p class="first-layout" data-testid="first-layout">
      <span>{words}</span>
      <IconButton label="Don't show again" onClick={dismissFirstLayout}>
        <CloseIcon />
      </IconButton>
    </p>
  );
}
