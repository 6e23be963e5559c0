/** Keys of the page. They never fire while somebody types, nor when an element has used the key itself. */
import { commands, dialog, isPress, page } from "../state/state";

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || dialog.value !== null || page.value.kind !== "ready") return;
  const fit = commands.value.filter(({ press }) => press && isPress(event, press));
  const command = fit.find((one) => one.ready?.() ?? true);
  // The palette opens from a field as well; anything else would take letters out of people's words.
  if (!command || (isTyping(event.target) && command.press?.key !== "k")) return;
  event.preventDefault();
  command.run();
}

export function startKeys(): void {
  window.addEventListener("keydown", onKeyDown);
}
