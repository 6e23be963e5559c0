/**
 * Windows of a plane whose two directions have one scale: whatever is asked for lies in the middle of the plot, and one of
 * the directions shows more than was asked for. The server draws it like that; this is the same for the page.
 */
import type { Rect } from "./types";

type Window = readonly [number, number];

/** What lies at the edges of the plot where these windows are asked for. */
export function edgesOf(
  { width, height }: Pick<Rect, "width" | "height">,
  across: Window,
  down: Window,
): { across: [number, number]; down: [number, number] } {
  const scale = Math.min(width / (across[1] - across[0]), height / (down[1] - down[0]));
  const about = ([from, to]: Window, length: number): [number, number] => {
    const half = scale > 0 ? length / scale / 2 : (to - from) / 2;
    return [(from + to) / 2 - half, (from + to) / 2 + half];
  };
  return { across: about(across, width), down: about(down, height) };
}
