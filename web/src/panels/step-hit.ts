/** `step 120` and `phase 12` in the search field, which need no server to be understood. */
import { formatCount } from "../base/format";

export interface StepHit {
  kind: "step" | "phase";
  number: number;
  label: string;
  detail: string;
}

/** What a text asks for; null if for something else, or for a step that there is not. */
export function stepHit(text: string, steps: number | null): StepHit | null {
  const match = /^(step|phase)\s*#?\s*(\d{1,9})$/i.exec(text.trim());
  if (!match) return null;
  const kind = match[1]?.toLowerCase() === "step" ? "step" : "phase";
  const number = Number(match[2]);
  if (steps === null || (kind === "step" && number >= steps)) return null;
  const label = `${kind === "step" ? "Step" : "Phase"} ${formatCount(number)}`;
  return { kind, number, label, detail: kind === "step" ? `of ${formatCount(steps)}` : "go there" };
}
