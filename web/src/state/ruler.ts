/** The ruler: a stretch of time that was measured. It stands in all panes until it is taken away; links do not carry it. */
import { effect, signal } from "@preact/signals";
import { traceId } from "./history";

export interface Ruler {
  /** Nanoseconds; the first is the earlier one. */
  from: number;
  to: number;
  /** Which of them lie where a call begins or ends. */
  onEdge: [boolean, boolean];
}

export const ruler = signal<Ruler | null>(null);

/** Whether the next drag over a pane of time measures. */
export const rulerTool = signal(false);

export function clearRuler(): void {
  ruler.value = null;
  rulerTool.value = false;
}

/** In another trace it would measure nothing. */
export function startRuler(): void {
  effect(() => {
    void traceId.value;
    clearRuler();
  });
}
