/** What is wrong with the trace, in words: nothing that was dropped or mended is hidden. */

import type { Warning } from "../api/types";
import { formatCount, printable } from "../base/format";
import { trace } from "../state/state";
import { Panel } from "../views/parts/panel";
import { warningsOpen } from "./ui";

function words(warning: Warning): string {
  return printable(warning.text, 400);
}

/** Kind and count, for the left side; each unfolds into its sentence. */
export function WarningList() {
  const warnings = trace.value?.warnings ?? [];
  if (warnings.length === 0) return null;
  return (
    <section aria-label="Warnings" id="warnings" tabIndex={-1}>
      <h2>
        Warnings <span>{formatCount(warnings.length)}</span>
      </h2>
      {warnings.map((warning, i) => (
        <details key={`${warning.kind}${i}`} class="warning" open={warningsOpen.value}>
          <summary>
            <span class="label">{printable(warning.kind).replace(/[-_]/g, " ")}</span>
            <span class="n">{formatCount(warning.count)}</span>
          </summary>
          <p>{words(warning)}</p>
        </details>
      ))}
    </section>
  );
}

/** In full sentences, for the right side. */
export function WarningWords() {
  const warnings = trace.value?.warnings ?? [];
  if (warnings.length === 0) return null;
  return (
    <Panel title="About this trace">
      {warnings.map((warning, i) => (
        <p key={`${warning.kind}${i}`} class="say">
          {words(warning)}
          {warning.where !== "" && <small>{printable(warning.where)}</small>}
        </p>
      ))}
    </Panel>
  );
}
