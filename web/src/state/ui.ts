/** State of the page that no link should carry: which pane has the keyboard, which dialog is open, what was just said. */
import { signal } from "@preact/signals";
import type { WindowName } from "./windows";

/** Id of the pane that was last used: keys, figures and the status line are about it. */
export const focusedPane = signal<string | null>(null);

export const dialog = signal<"palette" | "help" | "note" | "window" | "figure" | null>(null);

/** The window that is being typed, while that dialog is open. */
export const typedWindow = signal<WindowName>("time");

/** The side in front where there is room for one of them only: what the trace is, or what is found and selected. */
export const sideInFront = signal<"trace" | "details">("trace");

/** Whether that side lies over the views, in windows without room for any side beside them. */
export const drawerOpen = signal(false);

/** Whether a drag brushes a rectangle rather than moves the picture, where rectangles can be brushed. */
export const brushTool = signal(false);

/** Whether keys fly through pictures in space, rather than turn them. */
export const flies = signal(false);

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
