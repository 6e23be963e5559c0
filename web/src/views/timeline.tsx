/** One row a rank (or a location), its spans over time. */
import { go, place, rowWindow } from "../state/state";
import type { View } from "./view";

/** Rows by buttons, for hands without a wheel. */
function Controls() {
  const [from, to] = rowWindow.value;
  const zoom = (factor: number) => {
    const middle = (from + to) / 2;
    const half = Math.max(((to - from) * factor) / 2, 0.5);
    go({ rows: [Math.round(middle - half), Math.round(middle + half)] }, "push");
  };
  return (
    <fieldset class="seg" aria-label="Rows shown">
      <button type="button" title="Fewer, taller rows (Alt-wheel)" aria-label="Fewer rows" onClick={() => zoom(0.5)}>
        +
      </button>
      <button
        type="button"
        title="More rows (Alt-wheel)"
        aria-label="More rows"
        disabled={place.value.rows === null}
        onClick={() => zoom(2)}
      >
        −
      </button>
      <button
        type="button"
        title="All rows"
        disabled={place.value.rows === null}
        onClick={() => go({ rows: null }, "push")}
      >
        all rows
      </button>
    </fieldset>
  );
}

export const timeline: View = {
  name: "timeline",
  title: "Timeline",
  about: "What each rank does when; messages as lines once there is room.",
  y: "rows",
  Controls,
};
