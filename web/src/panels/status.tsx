/** The line at the bottom: what is drawn, how long it took, and what is wrong with the trace. */
import { formatBytes, printable } from "../base/format";
import { drawn, focusedPane, notice, trace } from "../state/state";
import { canBrush } from "./mouse";
import { showWarnings } from "./ui";

function warningWords(most: number): string {
  const warnings = trace.value?.warnings ?? [];
  const [only] = warnings;
  if (only && warnings.length === 1) return printable(only.text, most);
  return `${warnings.length} warnings`;
}

export function StatusLine() {
  const panes = [...drawn.value].filter(([id]) => id !== "strip");
  const status = drawn.value.get(focusedPane.value ?? "") ?? panes.at(-1)?.[1];
  const warnings = trace.value?.warnings.length ?? 0;
  return (
    <footer data-testid="status">
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
      {warnings > 0 && (
        <button type="button" class="warn" title={`${warningWords(400)}. Click for more.`} onClick={showWarnings}>
          <span aria-hidden="true">▲ </span>
          {warningWords(90)}
        </button>
      )}
      <span class="notice" role="status">
        {notice.value}
      </span>
      <span class="end">
        WASD zoom, pan · drag pan · shift-drag zoom · {canBrush() ? "alt-drag brush · " : ""}click select · ? help
      </span>
    </footer>
  );
}
