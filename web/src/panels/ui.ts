/** State of the page that no link should carry: which pane has the keyboard, which dialog is open, what was just said. */
import { signal } from "@preact/signals";

/** Id of the pane that was last used: figures and the status line are about it. */
export const focusedPane = signal<string | null>(null);

export const dialog = signal<"palette" | "help" | null>(null);

/** A short message, shown for some seconds and read out by screen readers. */
export const notice = signal("");
let timer: ReturnType<typeof setTimeout> | undefined;

export function say(text: string): void {
  notice.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => {
    notice.value = "";
  }, 4000);
}

/** Puts the cursor into the search field, from wherever. */
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
