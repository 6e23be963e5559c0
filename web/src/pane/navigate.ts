/**
 * The arithmetic of moving along axes. Pure: windows in, windows out.
 *
 * Nothing is clamped here; `go` in `state/` does that, in one place for keys, brush and panes.
 */
import type { Range } from "../draw/view";

/** Pixels that a line, or a page, of a wheel stands for; browsers differ in what they count. */
const LINE = 16;
const PAGE = 400;

/** Zoom per pixel of wheel: a notch of a mouse, about 100 pixels, is a quarter. Pinches come in much smaller steps. */
const WHEEL = 0.0022;
const PINCH = 0.01;
/** No single event zooms by more than half, however hard a free wheel is spun. */
const FASTEST = Math.log(1.5);

/** What a turn of the wheel asks for. */
export type WheelMove =
  | { kind: "zoom"; factor: number }
  | { kind: "zoom-down"; factor: number }
  | { kind: "pan"; pixels: number };

/** The parts of a wheel event that matter. */
export interface Wheel {
  deltaX: number;
  deltaY: number;
  deltaMode: number;
  ctrlKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}

/**
 * Plain: zooms the horizontal axis. With Shift, or sideways: pans it. With Alt: zooms the vertical one. With Ctrl, which is
 * also how browsers report a pinch: zooms the horizontal one, so that a pinch does what it does everywhere.
 */
export function wheelMove(wheel: Wheel): WheelMove | null {
  const across = wheel.deltaX * unitOf(wheel);
  const down = wheelPixels(wheel);
  if (wheel.ctrlKey) return down === 0 ? null : { kind: "zoom", factor: zoomFactor(down * PINCH) };
  // With Shift some browsers report a vertical wheel as a horizontal one; with Alt too, on some systems.
  const strongest = Math.abs(across) > Math.abs(down) ? across : down;
  if (strongest === 0) return null;
  if (wheel.altKey) return { kind: "zoom-down", factor: zoomFactor(strongest * WHEEL) };
  if (wheel.shiftKey || strongest !== down) return { kind: "pan", pixels: strongest };
  return { kind: "zoom", factor: zoomFactor(down * WHEEL) };
}

function unitOf({ deltaMode }: Wheel): number {
  return deltaMode === 1 ? LINE : deltaMode === 2 ? PAGE : 1;
}

/** How far a wheel was turned downwards, in pixels. */
export function wheelPixels(wheel: Wheel): number {
  return wheel.deltaY * unitOf(wheel);
}

function zoomFactor(power: number): number {
  return Math.exp(Math.max(-FASTEST, Math.min(power, FASTEST)));
}

/** What an axis shows at a pixel of its plot. */
export function valueAt(window: Range, start: number, length: number, pixel: number): number {
  return window[0] + ((pixel - start) / Math.max(length, 1)) * (window[1] - window[0]);
}

/** The window with `factor` times its width, the same value at the same place. */
export function zoomAt(window: Range, at: number, factor: number): [number, number] {
  return [at - (at - window[0]) * factor, at + (window[1] - at) * factor];
}

/** The window after the picture was dragged by some pixels. */
export function panBy(window: Range, pixels: number, length: number): [number, number] {
  const by = (-pixels / Math.max(length, 1)) * (window[1] - window[0]);
  return [window[0] + by, window[1] + by];
}

/** A zoom in whole rows or columns, or `null` while it does not make up one yet. */
export function zoomWhole(window: Range, at: number, factor: number): [number, number] | null {
  const count = window[1] - window[0];
  const next = Math.max(1, Math.round(count * factor));
  if (next === count || count <= 0) return null;
  const from = Math.round(at - ((at - window[0]) / count) * next);
  return [from, from + next];
}

/** A drag in whole rows or columns. */
export function panWhole(window: Range, pixels: number, length: number): [number, number] {
  const by = Math.round((-pixels / Math.max(length, 1)) * (window[1] - window[0]));
  return [window[0] + by, window[1] + by];
}
