/** A window of time, typed exactly. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { parseTimeWindow, WINDOW_EXAMPLE } from "../base/time-window";
import { timeWords } from "../pane/words";
import { dialog, goWindow, typedWindow, wholeOf, windowOf } from "../state/state";
import { Dialog } from "./dialog";

/** Nanoseconds, so that what one does not change stays exactly as it is. */
function exact([from, to]: [number, number]): string {
  return `${Math.round(from)} ns .. ${Math.round(to)} ns`;
}

export function TypeWindow() {
  const name = typedWindow.value;
  const text = useSignal(exact(windowOf(name)));
  const problem = useSignal("");
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.select(), []);
  const apply = (event: Event) => {
    event.preventDefault();
    const window = parseTimeWindow(text.value, wholeOf(name));
    if (typeof window === "string") {
      problem.value = window;
      return;
    }
    dialog.value = null;
    goWindow(name, window, "push");
  };
  return (
    <Dialog label="Window of time" testid="type-window" class="type-window">
      <form onSubmit={apply}>
        <label>
          {name.startsWith("own:") ? "Window of this pane" : "Window of time"}
          <input
            ref={field}
            type="text"
            autocomplete="off"
            spellcheck={false}
            aria-invalid={problem.value !== ""}
            aria-describedby="type-window-problem"
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
              problem.value = "";
            }}
          />
        </label>
        <p id="type-window-problem" class="problem" role="alert">
          {problem.value}
        </p>
        <p class="foot">
          Such as {WINDOW_EXAMPLE}. Now {timeWords(windowOf(name))}.
        </p>
      </form>
    </Dialog>
  );
}
