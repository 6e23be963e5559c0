/**
 * Words beside the title of a pane, in parts: those for which there is no room go as a whole, from the last. If the pane has a
 * window of time, the first says which, and a click on it lets one type another.
 */
import { dialog, isOfTime, typedWindow, type WindowName } from "../../state/state";

export function HeadParts(props: { parts: readonly string[]; window?: WindowName | null }) {
  const { parts, window = null } = props;
  const type = () => {
    typedWindow.value = window ?? "time";
    dialog.value = "window";
  };
  return (
    <span class="parts" title={parts.join(" · ")}>
      {parts.map((part, i) => (
        <span key={part}>
          {i === 0 && isOfTime(window) ? (
            <button
              type="button"
              class={`window-words ${window?.startsWith("own:") ? "own" : ""}`}
              title={`${part}: type another window (G)`}
              onClick={type}
            >
              {part}
            </button>
          ) : (
            part
          )}
        </span>
      ))}
    </span>
  );
}
