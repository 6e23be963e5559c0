/** Ways to parts of the page, from wherever one is. */
import { signal } from "@preact/signals";

/** Puts the cursor into the search field. */
export function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('[data-testid="search"]');
  field?.focus();
  field?.select();
}

/** Whether the warnings on the left are unfolded. */
export const warningsOpen = signal(false);

export function showWarnings(): void {
  warningsOpen.value = true;
  const section = document.getElementById("warnings");
  section?.scrollIntoView({ block: "nearest" });
  section?.focus();
}
