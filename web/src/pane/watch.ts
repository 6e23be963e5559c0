/** What a pane watches beside its pointer and its state: the screen, a pointer above it, and its own speed. */
import type { Point } from "../scene/types";

/** Measures are for tests and profilers; a page that is open for days must not pile them up. */
const MOST_MEASURES = 1000;

let measures = 0;

/** Records how long a frame took the script. */
export function measure(start: number): void {
  measures += 1;
  if (measures % MOST_MEASURES === 0) performance.clearMeasures("heddle-frame");
  performance.measure("heddle-frame", { start, end: performance.now() });
}

/** Calls back when the window moves to a screen with other pixels, or is zoomed. */
export function watchRatio(changed: () => void): () => void {
  let query: MediaQueryList;
  const again = () => {
    watch();
    changed();
  };
  const watch = () => {
    query = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    query.addEventListener("change", again, { once: true });
  };
  watch();
  return () => query.removeEventListener("change", again);
}

/** Says where a pointer is that something over the picture has taken; null while it is busy, or elsewhere. */
export function watchBelow(holder: HTMLElement, hover: (at: Point | null) => void): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const body = holder.closest<HTMLElement>(".body");
  const move = (event: PointerEvent) => {
    const { left, top } = holder.getBoundingClientRect();
    hover(event.buttons === 0 ? { x: event.clientX - left, y: event.clientY - top } : null);
  };
  body?.addEventListener("pointermove", move, { signal });
  body?.addEventListener("pointerleave", () => hover(null), { signal });
  return () => ended.abort();
}
