/** Planes of the torus, one after the other; and where dimensions beyond three are cut. */
import { parseSelection } from "../../../api/selection";
import { go, option, place, setOptions } from "../../../state/state";
import { LinkButton, ResetLink } from "../controls";
import { Panel } from "../panel";
import { machine, told } from "./data";

/** The plane that is selected: which dimension, and where; null if something else is. */
export function planeOf(selected: string | null, dimensions: number): { dim: number; at: number } | null {
  const parsed = selected === null ? null : parseSelection(selected);
  if (parsed?.kind !== "nodes") return null;
  const places = parsed.nodes.split(",");
  const fixed = places.flatMap((one, dim) => (/^\d+$/.test(one) ? [{ dim, at: Number(one) }] : []));
  const others = places.filter((one) => one === "*").length;
  const [only] = fixed;
  return only && fixed.length === 1 && others === dimensions - 1 ? only : null;
}

/** The only node that is selected, by its coordinates; null if something else is. */
export function nodeOf(selected: string | null): string | null {
  const parsed = selected === null ? null : parseSelection(selected);
  return parsed?.kind === "nodes" && /^\d+(?:,\d+)*$/.test(parsed.nodes) ? parsed.nodes : null;
}

function planeText(dimensions: number, dim: number, at: number): string {
  return `nodes:${Array.from({ length: dimensions }, (_, one) => (one === dim ? at : "*")).join(",")}`;
}

function Stepper(props: { label: string; name: string; at: number; size: number; onGo: (at: number) => void }) {
  const { label, name, at, size, onGo } = props;
  const go = (by: number) => onGo((at + by + size) % size);
  return (
    <fieldset class="seg stepper" aria-label={label}>
      <button type="button" aria-label={`${label}: one less`} onClick={() => go(-1)}>
        ‹
      </button>
      <output data-testid={`at-${name}`}>
        {name} = {at}
      </output>
      <button type="button" aria-label={`${label}: one more`} onClick={() => go(1)}>
        ›
      </button>
    </fieldset>
  );
}

export function PlanesPanel() {
  const dimensions = machine.known.value?.dimensions ?? [];
  // Only a torus has planes.
  if (dimensions.length === 0) return null;
  const plane = planeOf(place.value.selected, dimensions.length);
  const show = (dim: number, at: number) => go({ selected: planeText(dimensions.length, dim, at) }, "push");
  const [name, size] = (plane && dimensions[plane.dim]) ?? ["", 0];
  return (
    <Panel
      title="Planes"
      testid="planes"
      beside={
        plane && (
          <LinkButton plain title="Clear the selection (Esc)" onClick={() => go({ selected: null }, "push")}>
            clear
          </LinkButton>
        )
      }
    >
      <div class="choices">
        <fieldset class="seg" aria-label="Dimension of the plane">
          {dimensions.map(([one], dim) => (
            <button
              key={one}
              type="button"
              aria-pressed={plane?.dim === dim}
              title={`Select a plane of equal ${one}`}
              onClick={() => show(dim, Math.min(plane?.at ?? 0, (dimensions[dim]?.[1] ?? 1) - 1))}
            >
              {one}
            </button>
          ))}
        </fieldset>
        {plane && <Stepper label="Plane" name={name} at={plane.at} size={size} onGo={(at) => show(plane.dim, at)} />}
      </div>
      <Cuts dimensions={dimensions} />
      {option("roll") !== "" && (
        <p class="foot">
          Rolled: ({option("roll")}) is at the corner.{" "}
          <ResetLink names={["roll"]} title="Put the node where all coordinates are 0 back to the corner">
            back
          </ResetLink>
        </p>
      )}
    </Panel>
  );
}

/** Of more than three dimensions, the others are cut somewhere. */
function Cuts(props: { dimensions: readonly [string, number][] }) {
  const cuts = told.value?.cuts ?? [];
  if (cuts.length === 0) return null;
  const set = (name: string, at: number) => {
    const text = cuts.map(([one, was]) => `${one}=${one === name ? at : was}`).join(",");
    setOptions({ slice: text });
  };
  return (
    <div class="choices cuts" data-testid="cuts">
      <span class="quiet">Cut at</span>
      {cuts.map(([name, at]) => {
        const size = props.dimensions.find(([one]) => one === name)?.[1] ?? 1;
        return (
          <Stepper
            key={name}
            label={`Cut along ${name}`}
            name={name}
            at={at}
            size={size}
            onGo={(to) => set(name, to)}
          />
        );
      })}
    </div>
  );
}
