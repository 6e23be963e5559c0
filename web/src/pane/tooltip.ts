/**
 * Says what is under the pointer. One element for the whole page: there is one pointer.
 *
 * It holds text from traces, so nothing but `textContent` is used, and it stays inside the window.
 */
import type { Picked } from "../api/types";
import { printable } from "../base/format";
import type { Point } from "../scene/types";

/** Beside the pointer, so that it does not cover what it speaks of. */
const BESIDE = { x: 14, y: 16 } as const;
const MARGIN = 6;
const MOST_LINES = 12;

let element: HTMLElement | null = null;
/** Whose words it shows, so that a pane that is left late does not hide those of the next one. */
let shownBy: object | null = null;

/** Shows what was picked beside a point of the window. */
export function showTooltip(owner: object, picked: Picked, at: Point): void {
  element ??= create();
  shownBy = owner;
  element.replaceChildren(heading(picked), ...picked.lines.slice(0, MOST_LINES).map(line));
  element.hidden = false;
  const { offsetWidth: width, offsetHeight: height } = element;
  element.style.left = `${beside(at.x, BESIDE.x, width, window.innerWidth)}px`;
  element.style.top = `${beside(at.y, BESIDE.y, height, window.innerHeight)}px`;
}

export function hideTooltip(owner: object): void {
  if (element === null || shownBy !== owner) return;
  element.hidden = true;
  shownBy = null;
}

/** After the pointer, or before it where there is no room after it; never outside. */
export function beside(at: number, distance: number, size: number, room: number): number {
  const after = at + distance;
  const fits = after + size + MARGIN <= room;
  return Math.max(MARGIN, Math.min(fits ? after : at - distance - size, room - size - MARGIN));
}

function create(): HTMLElement {
  const made = document.createElement("div");
  made.className = "tooltip";
  made.dataset.testid = "tooltip";
  made.setAttribute("role", "tooltip");
  made.hidden = true;
  document.body.append(made);
  return made;
}

function heading(picked: Picked): HTMLElement {
  const made = document.createElement("div");
  made.className = "tooltip-title";
  if (/^#[0-9a-f]{6}(?:[0-9a-f]{2})?$/i.test(picked.colour)) {
    const swatch = document.createElement("span");
    swatch.className = "tooltip-swatch";
    swatch.style.backgroundColor = picked.colour;
    made.append(swatch);
  }
  made.append(printable(picked.title));
  return made;
}

function line(text: string): HTMLElement {
  const made = document.createElement("div");
  made.className = "tooltip-line";
  made.textContent = printable(text);
  return made;
}
