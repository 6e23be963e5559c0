/** What is wrong with the trace, in words: nothing that was dropped or mended is hidden. */

import { formatCount, printable } from "../base/format";
import { trace } from "../state/state";
import { warningsOpen } from "./ui";

/** Kind and count; each unfolds into its sentence, and where in the trace that was first. */
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
          <p>
            {printable(warning.text, 400)}
            {warning.where !== "" && <small>{printable(warning.where)}</small>}
          </p>
        </details>
      ))}
    </section>
  );
}
