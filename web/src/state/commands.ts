/** What a command is. The list itself is made in `app/`, which knows all parts; keys, palette and help show the same list. */
import { signal } from "@preact/signals";

export interface KeyPress {
  /** `KeyboardEvent.key`, letters in lower case. */
  key: string;
  /** Ctrl, or Cmd on a Mac. */
  mod?: boolean;
  shift?: boolean;
}

export interface Command {
  title: string;
  group: "Move" | "Select" | "Find" | "Panes" | "Page";
  press?: KeyPress;
  run: () => void;
  /** Whether it does anything now; without it, always. */
  ready?: () => boolean;
  /** Only in the list of keys, not in the palette: it needs the key to be held or repeated. */
  keyOnly?: boolean;
}

export const commands = signal<Command[]>([]);

const NAMES: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };

/** The keys as they are printed on keycaps. */
export function keycaps(press: KeyPress): string[] {
  const name = NAMES[press.key] ?? press.key.toUpperCase();
  return [...(press.mod ? ["Ctrl"] : []), ...(press.shift ? ["Shift"] : []), name];
}

/** Whether a key event is this press. Signs such as "?" need Shift on some keyboards only, so Shift counts for letters. */
export function isPress(event: KeyboardEvent, press: KeyPress): boolean {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const mod = event.ctrlKey || event.metaKey;
  const shiftMatters = /^[a-z]$/.test(press.key) || press.key.length > 1;
  const shiftFits = !shiftMatters || event.shiftKey === (press.shift ?? false);
  return key === press.key && mod === (press.mod ?? false) && shiftFits && !event.altKey;
}
