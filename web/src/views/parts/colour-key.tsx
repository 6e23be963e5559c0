/** What a scale of colours means: the colours, and the values at their ends. */
import type { PaneStatus } from "../../state/state";

export function ColourKey(props: { ends: readonly [string, string]; bar: PaneStatus["bar"] }) {
  const { ends, bar } = props;
  return (
    <>
      <div
        class="key-bar"
        role="img"
        aria-label={`From ${ends[0]} to ${ends[1]}`}
        style={bar && { background: `linear-gradient(90deg, ${bar.colours.join(", ")})` }}
      />
      <p class="ends">
        <span>{ends[0]}</span>
        <span>{ends[1]}</span>
      </p>
    </>
  );
}
