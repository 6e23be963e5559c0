/**
 * The two sides: how wide they are, and which is in front where there is no room for both.
 *
 * Widths belong to the person and the screen, so they are kept in the browser, not in the link. In windows of middling
 * width (see `shell.css`) the sides share one column, in narrow ones they are drawers over the views: the one with the
 * details comes to the front of the column when something is selected; a drawer is only opened by hand.
 */
import { effect, signal } from "@preact/signals";
import { drawerOpen, hasDiagnosis, place, sideInFront } from "../state/state";

export interface Side {
  name: "left" | "right";
  least: number;
  most: number;
  normal: number;
}
export const LEFT: Side = { name: "left", least: 150, most: 480, normal: 232 };
export const RIGHT: Side = { name: "right", least: 180, most: 560, normal: 288 };

const widths = { left: signal(LEFT.normal), right: signal(RIGHT.normal) };
const key = (side: Side) => `heddle-${side.name}`;

export function widthOf(side: Side): number {
  return widths[side.name].value;
}

export function setWidth(side: Side, width: number): void {
  const next = Math.round(Math.min(Math.max(width, side.least), side.most));
  widths[side.name].value = next;
  try {
    localStorage.setItem(key(side), String(next));
  } catch {
    // A browser that keeps nothing still resizes.
  }
}

/** Narrower windows have no room for a side beside the views. As in `shell.css`. */
const NARROW = "(max-width: 760px)";
/** What had the focus before a drawer took it. */
let before: Element | null = null;

/** Puts a side over the views, and the focus into it. */
export function openDrawer(side: "trace" | "details"): void {
  before = document.activeElement;
  sideInFront.value = side;
  drawerOpen.value = true;
  requestAnimationFrame(() => {
    document.querySelector<HTMLElement>(`[data-drawer="${side}"] .drawer-close`)?.focus();
  });
}

export function closeDrawer(): void {
  drawerOpen.value = false;
  if (before instanceof HTMLElement) before.focus();
  before = null;
}

/** What lies below a drawer, and takes neither focus nor pointer while it is open. The bar stays. */
const BELOW = ".strip, .narrow-bar, .tour, .dock, footer";

function shieldViews(): void {
  effect(() => {
    for (const element of document.querySelectorAll<HTMLElement>(BELOW)) element.inert = drawerOpen.value;
  });
}

function followSelection(): void {
  let last = [place.value.selected, false];
  effect(() => {
    // Beside a diagnosis the words are what one came for, whatever is selected.
    const now = [place.value.selected, hasDiagnosis.value];
    const isOther = now.some((one, at) => one !== last[at]);
    if (isOther && !drawerOpen.peek()) sideInFront.value = now[0] === null && !now[1] ? "trace" : "details";
    last = now;
  });
}

export function startSides(): void {
  followSelection();
  shieldViews();
  window.matchMedia(NARROW).addEventListener("change", () => {
    drawerOpen.value = false;
  });
  for (const side of [LEFT, RIGHT]) {
    try {
      const kept = Number(localStorage.getItem(key(side)));
      if (kept >= side.least && kept <= side.most) widths[side.name].value = kept;
    } catch {
      // Likewise.
    }
    effect(() => {
      document.documentElement.style.setProperty(`--${side.name}`, `${widths[side.name].value}px`);
    });
  }
}
