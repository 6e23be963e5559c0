/** What the state itself has to know of logical time: how many steps there are, and by which options they are found. */
import { computed, effect } from "@preact/signals";
import { analysis } from "./analyses";
import { refit } from "./history";
import { allSteps } from "./trace";

export const logical = analysis("logical");

/** Whether there is more to say about a call: its step and how late it is. */
export const areStepsKnown = computed(() => logical.known.value !== null);

/** What a question about steps is asked with. */
export function stepsParams(): URLSearchParams {
  return new URLSearchParams(logical.options.value);
}

/** Keeps the number of steps: those of another trace, or by other options, are no longer known. */
export function startSteps(): void {
  logical.whenReady(({ steps }) => {
    allSteps.value = steps;
    refit();
  });
  effect(() => {
    if (!areStepsKnown.value) allSteps.value = null;
  });
}
