/** What the links say, the fullest of them, and figures by class of link. */
import type { Selection } from "../../../api/selection";
import { printable } from "../../../base/format";
import { go, place } from "../../../state/state";
import { LinkButton } from "../controls";
import { Panel, PickRow } from "../panel";
import { aboutMachine, loadBar, machineKind, told, withoutUnit } from "./data";
import { routingWords, setRouting } from "./traffic";

export function LinksSay() {
  const now = told.value;
  if (now === null) return null;
  return (
    <Panel
      title={machineKind.value === "torus" ? "What the links say" : "What the traffic does"}
      testid="links-say"
      beside={<span class="plain">{now.origin}</span>}
    >
      {now.words.map((words) => (
        <p class="say calm" key={words}>
          {printable(words, 400)}
        </p>
      ))}
      {machineKind.value !== "torus" && now.origin === "predicted" && <OtherRoutes />}
      {now.notes.map((note) => (
        <p class="hint" key={note}>
          {printable(note, 400)}
        </p>
      ))}
    </Panel>
  );
}

/** The other ways that messages could take, one click away and back. */
function OtherRoutes() {
  const { routing, routings } = aboutMachine.value ?? { routing: "", routings: [] };
  return (
    <p class="leads">
      {routings
        .filter((one) => one !== routing)
        .map((one) => (
          <LinkButton key={one} title={routingWords(one).hint} onClick={() => setRouting(one)}>
            Compare with {routingWords(one).label.toLowerCase()}
          </LinkButton>
        ))}
    </p>
  );
}

/** Selects a link; where only a part of the plane is in sight, the link comes to its middle. */
function goTo(selected: Selection, at: readonly [number, number] | null): void {
  const about = (window: [number, number] | null, middle: number): [number, number] | null => {
    if (window === null) return null;
    const half = (window[1] - window[0]) / 2;
    return [middle - half, middle + half];
  };
  const { across, down } = place.value;
  go({ selected, ...(at && { across: about(across, at[0]), down: about(down, at[1]) }) }, "push");
}

export function TopLinks() {
  const now = told.value;
  if (now === null || now.top.length === 0) return null;
  const colours = loadBar()?.colours ?? [];
  const colour = (share: number) => colours[Math.round(Math.min(Math.max(share, 0), 1) * (colours.length - 1))];
  return (
    <Panel
      title="Top links"
      testid="top-links"
      beside={<span class="plain">{now.is_bytes ? "equal loads together" : printable(now.unit, 30)}</span>}
    >
      <ul>
        {now.top.map(({ text, share, links, class: along, select, label, place: at }) => (
          <PickRow
            key={select}
            on={place.value.selected === select}
            testid="top-link"
            data={{ "data-link": select }}
            class="top-link"
            title={`${printable(label)}: select it, and go there`}
            onClick={() => goTo(select, at)}
          >
            <span class="sw" style={{ background: colour(share) }} />
            <span class="load">{withoutUnit(text)}</span>
            <span class="label">
              {along} <span class="quiet">{printable(label)}</span>
            </span>
            <span class="n">{links > 1 ? `${links} links` : ""}</span>
          </PickRow>
        ))}
      </ul>
    </Panel>
  );
}

/** What a class of links is, on each kind of machine. */
const BY = {
  torus: { title: "By dimension", of: "along" },
  "fat-tree": { title: "By layer", of: "links" },
  dragonfly: { title: "By class of link", of: "links" },
} as const;

export function ByClass() {
  const now = told.value;
  if (now === null || now.classes.length < 2) return null;
  const { title, of } = BY[machineKind.value];
  return (
    <Panel
      title={title}
      testid="by-class"
      beside={!now.is_bytes && <span class="plain">{printable(now.unit, 30)}</span>}
    >
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">{of}</th>
            <th scope="col">mean</th>
            <th scope="col">max</th>
            <th scope="col">idle</th>
          </tr>
        </thead>
        <tbody>
          {[...now.classes, now.all].map(({ name, mean, max, idle }) => (
            <tr key={name}>
              <th scope="row">{printable(name)}</th>
              <td>{withoutUnit(mean)}</td>
              <td>{withoutUnit(max)}</td>
              <td class={idle === 1 ? "warn" : ""}>{(idle * 100).toFixed(idle > 0 && idle < 1 ? 1 : 0)} %</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
