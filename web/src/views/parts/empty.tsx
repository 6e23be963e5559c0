/**
 * What a pane says whose picture has nothing in it: what is missing, what leaves it out, and the ways back. No pane is
 * blank without a word.
 */
import { printable } from "../../base/format";
import { capital, joined } from "../../base/words";
import {
  acrossOf,
  areUsual,
  drawn,
  go,
  hasSteps,
  layoutNow,
  offeredLayouts,
  place,
  resetOptions,
  specOf,
} from "../../state/state";
import type { View } from "../view";

/** Something that leaves things out, and how it is taken back. */
interface Limit {
  what: string;
  /** Whether it takes a verb in the plural. */
  isMany?: boolean;
  lead: string;
  undo: () => void;
}

/** Everything that limits what a view shows now. */
function limitsOf(view: View): Limit[] {
  const { time, steps, rows, columns, ranks, hidden } = place.value;
  const across = acrossOf(view);
  const isWhole = view.source.whole === true;
  const { filters = [] } = view;
  const all: (Limit | false)[] = [
    across === "time" &&
      time !== null && { what: "the time window", lead: "Show the whole run", undo: () => go({ time: null }, "push") },
    across === "steps" &&
      !isWhole &&
      steps !== null && {
        what: "the window of steps",
        lead: "Show all steps",
        undo: () => go({ steps: null }, "push"),
      },
    ((specOf(view).y === "rows" && rows !== null) || (across === "columns" && columns !== null)) && {
      what: "the window of rows",
      lead: "Show all rows",
      undo: () => go({ rows: null, columns: null }, "push"),
    },
    ranks !== "" && { what: "the filter of ranks", lead: "Show all ranks", undo: () => go({ ranks: "" }, "push") },
    hidden.length > 0 && {
      what: "hidden functions",
      isMany: true,
      lead: "Show hidden functions",
      undo: () => go({ hidden: [] }, "push"),
    },
    !areUsual(filters) && {
      what: "the filter of calls",
      lead: "Show all calls",
      undo: () => resetOptions(filters),
    },
  ];
  return all.filter((one) => one !== false);
}

/** Why there is nothing, in a sentence. */
function why(limits: readonly Limit[], notes: readonly string[]): string {
  if (limits.length > 0) {
    const verb = limits.length > 1 || limits[0]?.isMany === true ? "leave" : "leaves";
    return `${capital(joined(limits.map(({ what }) => what)))} ${verb} nothing over.`;
  }
  if (hasSteps.value) return "This layout shows one thread or stream per rank; what the others do is in the overview.";
  return notes.map((note) => printable(note, 200)).join(" ");
}

/** Where to look instead if nothing limits the view. */
function overview(): Limit[] {
  const plain = offeredLayouts()[0];
  if (plain === undefined || layoutNow() === plain.name) return [];
  return [{ what: "", lead: "Show the overview", undo: () => go({ layout: plain.name }, "push") }];
}

/** Pixels below which a plot is too narrow for words. */
const LEAST_ROOM = 200;

export function EmptyNotice(props: { view: View; pane: string }) {
  const status = drawn.value.get(props.pane);
  if (status?.isEmpty !== true) return null;
  const [x, y, width, height] = status.plot ?? [0, 0, 0, 0];
  // Words need some room; beside a narrow plot there is nothing else to see.
  const across = width < LEAST_ROOM ? { left: "0", width: "100%" } : { left: `${x}px`, width: `${width}px` };
  const limits = limitsOf(props.view);
  const { nothing } = props.view;
  // A pane that accompanies others says how it is; the others have the picture.
  const ways = limits.length > 0 ? limits : props.view.source.whole ? [] : overview();
  return (
    <div class="empty-place" style={{ ...across, top: `${y}px`, height: `${height}px` }}>
      <div class="empty-notice" data-testid="empty-notice" role="status">
        <b>{(typeof nothing === "function" ? nothing() : nothing) ?? "There is nothing to show here."}</b>
        <p>{why(limits, status.notes)}</p>
        {ways.length > 0 && (
          <p class="leads">
            {ways.map(({ lead, undo }) => (
              <button key={lead} type="button" class="button" onClick={undo}>
                {lead}
              </button>
            ))}
          </p>
        )}
      </div>
    </div>
  );
}
