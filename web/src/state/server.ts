/** Whether the server answers. `session.ts` finds out; whoever shows something of the server listens. */
import { signal } from "@preact/signals";

export const serverGone = signal(false);
/** Counts the times that the server came back: whoever shows something of it loads again. */
export const reconnected = signal(0);
