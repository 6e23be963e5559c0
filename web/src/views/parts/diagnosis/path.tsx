/** The critical path in figures, and what the colours of the timeline mean. */
import { formatCount, plural, printable } from "../../../base/format";
import { diagnosisTold, drawn } from "../../../state/state";
import { Panel } from "../panel";
import { isShown, waitColour } from "./data";
import { Named } from "./pieces";

export function CriticalPath() {
  const path = diagnosisTold.answer.value?.path;
  if (path === undefined || path.parts.length === 0) return null;
  return (
    <Panel
      title="Critical path"
      testid="critical-path"
      beside={
        <span>
          {formatCount(path.hops)} {plural(path.hops, "hop")}
        </span>
      }
    >
      <dl class="path-parts">
        {path.parts.map(({ label, share }) => (
          <div key={label}>
            <dt>
              <Named text={label} />
            </dt>
            <dd>{(share * 100).toFixed(1)} %</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function Ramp(props: { name: string; ends: readonly [string, string] }) {
  return (
    <>
      <div class={`key-bar ramp-${props.name}`} />
      <p class="ends">
        <span>{props.ends[0]}</span>
        <span>{props.ends[1]}</span>
      </p>
    </>
  );
}

/** What a picture says of its own scale. */
function barShown() {
  return [...drawn.value.values()].find(({ view, bar }) => view === "waits" && bar !== undefined)?.bar;
}

export function WaitColours() {
  const colour = waitColour();
  const bar = barShown();
  if (diagnosisTold.answer.value === null || (colour === "function" && !isShown("path"))) return null;
  return (
    <Panel title="Colours of the timeline" testid="wait-colours" class="wait-colours">
      {colour === "waits" && (
        <>
          <Ramp name="waits" ends={["computes", "waits"]} />
          <Ramp name="makes" ends={["makes 1 rank wait", "makes many wait"]} />
        </>
      )}
      {colour !== "waits" && bar !== undefined && (
        <>
          <div class="key-bar" style={{ background: `linear-gradient(to right, ${bar.colours.join(", ")})` }} />
          <p class="ends">
            <span>{printable(bar.ends[0], 40)}</span>
            <span>{printable(bar.ends[1], 40)}</span>
          </p>
        </>
      )}
      {isShown("path") && (
        <p class="path-key">
          <svg viewBox="0 0 36 14" aria-hidden="true">
            <path class="stay" d="M1 11h13" />
            <path class="hop" d="M14 11l6-8" />
            <path class="stay" d="M20 3h15" />
          </svg>
          critical path: thick on a rank, thin between ranks
        </p>
      )}
    </Panel>
  );
}
