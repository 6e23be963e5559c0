/**
 * Where we are, where we were, and the address bar.
 *
 * The browser's own history is the undo list, so its Back button undoes. Dragging and wheeling change the place many
 * times a second, and browsers throttle writers of history; so such changes are written once, when it has been quiet.
 */
import { batch, computed, signal } from "@preact/signals";
import { optionOf } from "./options";
import { clampPlace, decodePlace, encodePlace, isCall, isRectangle, NOWHERE, type Place, takeToken } from "./place";
import { rowParams } from "./row-list";
import { type Driver, driven, loose } from "./steps-driver";
import { allAcross, allColumns, allDown, allRows, allSteps, rowsOf, trace, wholeTime } from "./trace";
import { hasOwnRows, showsSteps } from "./views";

const QUIET_MS = 500;

const current = signal<Place>(NOWHERE);
export const place = computed(() => current.value);

/** The trace of the place once it is on the page; "" until then. */
export const traceId = computed(() => (trace.value?.id === current.value.trace ? current.value.trace : ""));

/** The window that moved and that the other has yet to follow; see `steps-time.ts`. */
export const driver = signal<Driver | null>(null);

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
  const asked = clamped({ ...current.value, ...change, ...follow(change), ...cameFrom(change) });
  const { next, moved } = driven(current.value, asked);
  if (encodePlace(next) === encodePlace(current.value)) return;
  batch(() => {
    arriveAt(next);
    if (moved !== undefined) driver.value = moved;
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

/** Lets the other window follow: no move of its own, and no entry. */
export function followUp(change: Pick<Place, "time"> | Pick<Place, "steps">): void {
  const next = clamped({ ...current.value, ...change });
  if (encodePlace(next) === encodePlace(current.value)) return;
  current.value = next;
  if (!pending.value) rewrite();
}

/**
 * Another filter, order or folding is another list of rows, and of columns, so the old windows mean nothing there; nor do
 * those of a plane on another one.
 */
function follow(change: Partial<Place>): Partial<Place> {
  const next = { ...current.value, ...change };
  const list = isSameList(next) ? {} : { rows: change.rows ?? null, columns: change.columns ?? null };
  const plane = isSamePlane(next) ? {} : { across: change.across ?? null, down: change.down ?? null };
  return { ...list, ...plane };
}

/** What decides how large a plane is, and what lies where on it. */
const PLANE = ["along", "plane", "topology", "ranks-per-node"] as const;

function isSamePlane(next: Place): boolean {
  return PLANE.every((name) => optionOf(next.options, name) === optionOf(current.value.options, name));
}

/**
 * The rectangle that one came from stays known while one looks at a call of it. Of another trace, or by another meaning of
 * heights, it means nothing.
 */
function cameFrom(change: Partial<Place>): Pick<Place, "within"> {
  const [before, next] = [current.value, { ...current.value, ...change }];
  const isSameGround = next.trace === before.trace && next.options.y === before.options.y;
  if (!isSameGround || !isCall(next.selected)) return { within: null };
  if (change.within !== undefined) return { within: change.within };
  return { within: isRectangle(before.selected) ? before.selected : before.within };
}

/** Whether a place has the list of rows that the current one has. */
function isSameList(next: Place): boolean {
  const [was, is] = [showsSteps(current.value.layout), showsSteps(next.layout)];
  const isArrangedAlike = rowParams(next.options).toString() === rowParams(current.value.options).toString();
  const isSameKind = hasOwnRows(current.value.layout) === hasOwnRows(next.layout);
  const isSameCount = was === is || rowsOf(was) === rowsOf(is);
  return next.ranks === current.value.ranks && isArrangedAlike && isSameCount && isSameKind;
}

/** Goes there; what was known of the rows of another list is forgotten. */
function arriveAt(next: Place): void {
  if (!isSameList(next) || next.trace !== current.value.trace) {
    allRows.value = null;
    allColumns.value = null;
  }
  if (!isSamePlane(next) || next.trace !== current.value.trace) {
    allAcross.value = null;
    allDown.value = null;
  }
  current.value = next;
}

function clamped(next: Place): Place {
  if (!trace.value || trace.value.id !== next.trace) return next;
  const isSame = isSameList(next);
  const rows = (isSame ? allRows.value : null) ?? rowsOf(showsSteps(next.layout));
  const columns = isSame ? allColumns.value : null;
  const { value: steps } = allSteps;
  const [across, down] = isSamePlane(next) ? [allAcross.value, allDown.value] : [null, null];
  return clampPlace(next, { time: wholeTime.value[1], rows, steps, columns, across, down });
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
  batch(() => {
    arriveAt(clamped({ ...current.value, ...change }));
    driver.value = loose(current.value);
  });
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
    arriveAt(clamped(decodePlace(window.location.hash)));
    driver.value = loose(current.value);
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
  driver.value = loose(current.value);
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
