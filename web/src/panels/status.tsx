/** The line at the bottom: what is drawn, how long it took, and what is wrong with the trace. */
import { formatBytes, plural, printable } from "../base/format";
import { drawn, focusedPane, notice, trace } from "../state/state";
import { inSight } from "../views/registry";
import { canBrush, canMeasure } from "./mouse";
import { showWarnings } from "./ui";

/** What keys and mouse do. The last ones go first when what is drawn needs the room. */
function mouseWords(): string[] {
  const measure = canMeasure() ? ["ctrl-drag measure"] : [];
  const brush = canBrush() ? ["alt-drag brush"] : [];
  return ["? help", "WASD zoom, pan", "drag pan", "shift-drag zoom", ...measure, ...brush, "click select"];
}

export function StatusLine() {
  const panes = [...drawn.value].filter(([id]) => id !== "strip");
  const status = drawn.value.get(focusedPane.value ?? "") ?? panes.at(-1)?.[1];
  const warnings = trace.value?.warnings ?? [];
  const said = [...new Set(inSight().flatMap(({ says }) => says ?? []))].flatMap((says) => says());
  return (
    <footer data-testid="status">
      {said.map(({ text, isWarning = false }) => (
        <span key={text} class={isWarning ? "said notes caution" : "said notes"} title={printable(text, 400)}>
          {isWarning && <span aria-hidden="true">▲ </span>}
          {printable(text, 400)}
        </span>
      ))}
      {status && status.notes.length > 0 && (
        <span class="notes" title={status.notes.map((note) => printable(note, 400)).join("\n")}>
          {status.notes.map((note) => printable(note)).join(" · ")}
        </span>
      )}
      {status && (
        <span class="cost">
          scene {Math.round(status.ms)} ms · {formatBytes(status.bytes)}
        </span>
      )}
      {warnings.length > 0 && (
        <button
          type="button"
          class="warn"
          title={warnings.map(({ text }) => printable(text, 400)).join("\n")}
          onClick={showWarnings}
        >
          <span aria-hidden="true">▲ </span>
          {warnings.length} {plural(warnings.length, "warning")}
        </button>
      )}
      <span class="notice" role="status">
        {notice.value}
      </span>
      <span class="end">
        {mouseWords().map((words) => (
          <span key={words}>{words}</span>
        ))}
      </span>
    </footer>
  );
}
