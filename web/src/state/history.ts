/**
 * Where we are, where we were, and the address bar.
 *
 * The browser's own history is the undo list, so its Back button undoes. Dragging and wheeling change the place many
 * times a second, and browsers throttle writers of history; so such changes are written once, when it has been quiet.
 */
import { batch, computed, signal } from "@preact/signals";
import { clampPlace, decodePlace, encodePlace, NOWHERE, type Place, takeToken } from "./place";
import { allRows, trace, wholeTime } from "./trace";

const QUIET_MS = 500;

const current = signal<Place>(NOWHERE);
export const place = computed(() => current.value);

/** Whether live changes wait to be written. */
const pending = signal(false);
let timer: ReturnType<typeof setTimeout> | undefined;

/** How far into our own entries we are, and how far they reach: the browser does not say. */
const depth = signal(0);
const reach = signal(0);
export const canUndo = computed(() => depth.value > 0 || pending.value);
export const canRedo = computed(() => depth.value < reach.value && !pending.value);

/** Changes the place. Windows are clamped here and nowhere else. */
export function go(change: Partial<Place>, how: "push" | "live"): void {
  if (how === "push") settle();
  const next = clamped({ ...current.value, ...change, ...follow(change) });
  if (encodePlace(next) === encodePlace(current.value)) return;
  batch(() => {
    if (next.ranks !== current.value.ranks || next.trace !== current.value.trace) allRows.value = null;
    current.value = next;
    pending.value = how === "live";
  });
  clearTimeout(timer);
  if (how === "push") write();
  else timer = setTimeout(settle, QUIET_MS);
}

export function undo(): void {
  settle();
  if (canUndo.value) window.history.back();
}

export function redo(): void {
  settle();
  if (canRedo.value) window.history.forward();
}

/** Another filter is another list of rows, so the old window of rows means nothing there. */
function follow(change: Partial<Place>): Partial<Place> {
  const other = change.ranks !== undefined && change.ranks !== current.value.ranks;
  return other && change.rows === undefined ? { rows: null } : {};
}

function clamped(next: Place): Place {
  if (!trace.value || trace.value.id !== next.trace) return next;
  const sameList = next.ranks === current.value.ranks;
  return clampPlace(next, wholeTime.value[1], (sameList ? allRows.value : null) ?? Math.max(trace.value.rows, 1));
}

/** Clamps the place again, once the trace is known; a broken link is mended without an entry. */
export function refit(): void {
  const next = clamped(current.value);
  if (encodePlace(next) === encodePlace(current.value)) return;
  current.value = next;
  rewrite();
}

/** Puts the place into the address without an entry of its own. */
export function amend(change: Partial<Place>): void {
  current.value = clamped({ ...current.value, ...change });
  rewrite();
}

function settle(): void {
  clearTimeout(timer);
  if (!pending.value) return;
  pending.value = false;
  write();
}

function write(): void {
  depth.value += 1;
  reach.value = depth.value;
  window.history.pushState({ depth: depth.value }, "", `#${encodePlace(current.value)}`);
}

function rewrite(): void {
  window.history.replaceState({ depth: depth.value }, "", `#${encodePlace(current.value)}`);
}

function arrive(): void {
  // The URL of a new server pasted into the old tab changes the fragment only; begin anew with its token.
  if (takeToken(window.location.hash).token !== null) {
    window.location.reload();
    return;
  }
  clearTimeout(timer);
  const said: unknown = window.history.state?.depth;
  batch(() => {
    pending.value = false;
    depth.value = typeof said === "number" ? said : 0;
    reach.value = Math.max(reach.value, depth.value);
    const next = clamped(decodePlace(window.location.hash));
    if (next.ranks !== current.value.ranks || next.trace !== current.value.trace) allRows.value = null;
    current.value = next;
  });
  // A link pasted by hand may be broken; the address says what is shown.
  if (window.location.hash !== `#${encodePlace(current.value)}`) rewrite();
}

/** Reads the address, takes the token out of it, and follows Back and Forward. Returns the token. */
export function startHistory(): string | null {
  const { token, rest } = takeToken(window.location.hash);
  const said: unknown = window.history.state?.depth;
  depth.value = typeof said === "number" ? said : 0;
  reach.value = depth.value;
  current.value = decodePlace(rest);
  rewrite();
  // Fires for Back and Forward, and for a link that is pasted into the same tab.
  window.addEventListener("popstate", arrive);
  window.addEventListener("pagehide", settle);
  return token;
}

/** The address to share: it never carries the token. */
export function shareUrl(): string {
  return `${window.location.origin}${window.location.pathname}#${encodePlace(current.value)}`;
}
