/** What axe finds on a page. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Visit } from "./visit";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Violations that keep people out, each with the element. */
export async function barriers(visit: Visit): Promise<string[]> {
  // As the debugger does, which the content policy does not concern; a script element would be stopped by it.
  await visit.page.evaluate(AXE);
  const results = await visit.page.evaluate(() =>
    (window as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
      resultTypes: ["violations"],
    }),
  );
  return results.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary}`));
}
