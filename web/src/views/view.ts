/**
 * What a view of the page is: all that the page knows about it, in one description.
 *
 * Scenes come from the server, so a further view is a Rust module there and one small file here, listed in `registry.ts`.
 * Nothing else knows what views there are: panes, keys, panels, layouts and commands ask these descriptions.
 */
import type { ComponentType } from "preact";
import type { OptionName } from "../api/options";
import type { SelectedKind, Selection } from "../api/selection";
import type { PaneView } from "../pane/pane-view";
import { type Command, hasSteps, type PaneStatus } from "../state/state";

/** Where panels of a view stand: above the functions, below them, below the filter of ranks, above the details and below them. */
export type Slot = "first" | "functions" | "filters" | "above" | "below";

/** Something for the line at the bottom. */
export interface Said {
  text: string;
  isWarning?: boolean;
}

/** Something that a search found, and that can be selected. */
export interface Finding {
  label: string;
  detail: string;
  select: Selection;
}

export interface View extends PaneView {
  title: string;
  /** Its name beside views of logical time, if that is another. */
  titleBeside?: string;
  /** Its name in a pane, where that says more. */
  titleIn?: (pane: string) => string;
  /** One sentence for people who see it for the first time; without it, the server's. */
  about?: string;
  /** What to say where its picture has nothing in it. */
  nothing?: string | (() => string);
  /** Whether there is something of it as things are now; else it is not offered. Without it, always. */
  isFor?: () => boolean;
  /** Its options that leave something out, besides those that all views share. */
  filters?: readonly OptionName[];
  /** What stands beside the title; without it, the window. */
  Sub?: ComponentType<{ pane: string }>;
  /** Whether that says the window too; else a pane with a window of its own says it first. */
  saysWindow?: boolean;
  /** Controls in the head of its panes. */
  Controls?: ComponentType<{ pane: string }>;
  /** What stands between the head and the picture of its panes. */
  Key?: ComponentType<{ pane: string }>;
  /** What stands in its panes instead of a picture of the server. */
  Body?: ComponentType<{ pane: string }>;
  /** What a search for something that only it shows finds, and what that is called. */
  findable?: string;
  finds?: (query: string) => Finding | null;
  /** Elements over its picture; without it, how far the analyses are that it waits for. */
  Over?: ComponentType<{ pane: string }>;
  /** A bar below all panes, there while it is in sight. */
  Bar?: ComponentType;
  /** Whether a communicator is selected in it rather than filtered by. */
  selectsRanks?: boolean;
  /** Whether its panels say what colours mean: the functions of the trace are not listed beside it. */
  hasLegend?: boolean;
  /** Kinds of selections of which its panels say all: the details do not repeat it. */
  tells?: readonly SelectedKind[];
  /** What the line at the bottom says while it is in sight. Views may share it. */
  says?: () => readonly Said[];
  /** The height of its panes in a column, in pixels; without it, a share of what there is. */
  height?: number;
  /** Panels that belong to it, there while it is in sight. Views may share them. */
  panels?: Partial<Record<Slot, readonly ComponentType[]>>;
  /** Commands about it, there while it is in sight. */
  commands?: () => readonly Command[];
  /** A column of numbers for the legend, by function, from what a pane of it last drew. */
  counts?: { title: string; of: (status: PaneStatus) => Map<string, number> };
}

/** The name of a view on the page as it is now. */
export function titleOf({ title, titleBeside }: View): string {
  return hasSteps.value ? (titleBeside ?? title) : title;
}
