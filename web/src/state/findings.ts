/** What stands out in the window and what lies in the brushed rectangle, as the server last said. */
import { signal } from "@preact/signals";
import type { Brushed, Findings } from "../api/types";

export const findings = signal<Findings | null>(null);
export const brushed = signal<Brushed | null>(null);
/** Why nothing can be said about the rectangle, in words. */
export const brushProblem = signal<string | null>(null);
