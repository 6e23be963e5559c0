/** One line that says why the page began with this layout, and where the others are; once it is dismissed, never again. */
import { dismissFirstLayout, firstLayoutWords } from "../state/state";
import { CloseIcon } from "./icons";

export function FirstLayout() {
  const words = firstLayoutWords.value;
  if (words === null) return null;
  return (
    <p class="first-layout" data-testid="first-layout">
      <span>{words}</span>
      <button
        type="button"
        class="icon-button"
        aria-label="Do not say this again"
        title="Do not say this again"
        onClick={dismissFirstLayout}
      >
        <CloseIcon />
      </button>
    </p>
  );
}
