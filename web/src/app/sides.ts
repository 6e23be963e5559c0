/** How wide the sides are. It belongs to the person and the screen, so it is kept in the browser, not in the link. */
import { effect, signal } from "@preact/signals";

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

export function startSides(): void {
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
