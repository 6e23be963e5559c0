/**
 * What the page knows about a view: its name on the server, its title, and the controls in the head of its panes.
 *
 * Scenes come from the server, so a further view is a Rust module there and one small file here, listed in `registry.ts`.
 */
import type { ComponentType } from "preact";
import type { Source } from "../state/state";

export interface View {
  /** Its name in layouts; without a source, also on the server. */
  name: string;
  source?: Source;
  title: string;
  /** Its name beside views of logical time, if that is another. */
  titleBeside?: string;
  /** One sentence for people who see it for the first time. */
  about: string;
  /** Whether a pane's rows are the rows of the filter, so that its head names them. */
  y: "rows" | "value";
  /** What stands beside the title; without it, the window. */
  Sub?: ComponentType<{ pane: string }>;
  Controls?: ComponentType<{ pane: string }>;
  /** What lies over its picture. */
  Over?: ComponentType<{ pane: string }>;
  /** The height of its panes in a column, in pixels; without it, a share of what there is. */
  height?: number;
}
