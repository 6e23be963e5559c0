/**
 * Which directions are drawn: three strokes with the names of the dimensions that go there now. Both directions of the plane
 * are rings about the centre, one alone is complete.
 */
import { option, setOptions } from "../../../state/state";
import { OptionToggle } from "../controls";
import { told } from "./data";

export interface Directions {
  across: boolean;
  down: boolean;
  along: boolean;
}

/** The directions that the options say. */
function directionsNow(): Directions {
  const links = option("links");
  return {
    across: links === "concentric" || links === "horizontal",
    down: links === "concentric" || links === "vertical",
    along: option("diagonals"),
  };
}

/** With one of them switched; at least one stays on. */
export function switched(now: Directions, which: keyof Directions): Directions {
  const next = { ...now, [which]: !now[which] };
  return next.across || next.down || next.along ? next : now;
}

function toggle(which: keyof Directions): void {
  const { across, down, along } = switched(directionsNow(), which);
  const links = across ? (down ? "concentric" : "horizontal") : down ? "vertical" : "none";
  setOptions({ links, diagonals: along });
}

/** Where each stroke ends, in the units of the drawing, and its arrow. */
const STROKES = [
  { which: "across", role: 1, x: 62, y: 8 },
  { which: "along", role: 0, x: 46, y: 42 },
  { which: "down", role: 2, x: 8, y: 58 },
] as const;

export function AxesWidget() {
  const axes = told.value?.axes;
  if (axes === undefined) return null;
  const now = directionsNow();
  return (
    <div class="axes-widget" data-testid="axes-widget">
      <svg viewBox="0 0 70 66" width="70" height="66" aria-hidden="true">
        {STROKES.map(({ which, x, y }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the boxes beside it are for keys.
          <g key={which} class={now[which] ? "on" : ""} onClick={() => toggle(which)}>
            <line x1="8" y1="8" x2={x} y2={y} />
            <line class="reach" x1="8" y1="8" x2={x} y2={y} />
          </g>
        ))}
      </svg>
      <fieldset aria-label="Directions that are drawn">
        {STROKES.filter(({ role }) => axes[role] !== "").map(({ which, role }) => (
          <label key={which} class="toggle" title={`Draw links along ${axes[role]}; at least one direction stays`}>
            <input
              type="checkbox"
              checked={now[which]}
              onChange={(event) => {
                toggle(which);
                // What stays on is still checked.
                event.currentTarget.checked = directionsNow()[which];
              }}
            />
            {axes[role]} <span class="quiet">{{ across: "→", along: "↘", down: "↓" }[which]}</span>
          </label>
        ))}
        <OptionToggle name="stubs" label="stubs" title="Draw links that wrap around as stubs (--no-stubs)" />
      </fieldset>
    </div>
  );
}
