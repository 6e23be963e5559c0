/** Time steps: how far nodes are apart at each, which one is shown, and how many there are. */
import { OPTIONS } from "../../../api/options";
import { formatDuration } from "../../../base/format";
import { option, setOptions } from "../../../state/state";
import { helpOf, Toggle } from "../controls";
import { DraftField } from "../draft";
import { Panel } from "../panel";
import { instantWords, lastInstant, setTimeSteps, showInstant, shownInstant, stepInstant, told } from "./data";
import { nextSteps } from "./time-steps";
import { share } from "./words";

/** A bar per instant, as high as the fastest node is ahead of the slowest. */
function Spread() {
  const [now, shown] = [told.value, shownInstant()];
  if (now === null || shown === null) return null;
  const spreads = now.instants.map(({ extent }) => extent[1] - extent[0]);
  const most = Math.max(...spreads);
  const last = spreads.length - 1;
  const marks =
    last <= 5 ? [0, last] : [0, Math.round(last / 4), Math.round(last / 2), Math.round((3 * last) / 4), last];
  return (
    <div class="spread" data-testid="spread">
      <p class="most">at most {Math.round(most * 100)} points</p>
      <div class="bars">
        {spreads.map((spread, at) => (
          <button
            // Bars have no names but their places.
            key={`${at}`}
            type="button"
            class="instant"
            tabIndex={-1}
            aria-label={`Step ${at}`}
            aria-pressed={at === shown.number}
            title={`Step ${at}, ${instantWords(at)}: nodes are ${share(spread).replace(" %", " points")} apart. Click to show it.`}
            onClick={() => showInstant(at)}
          >
            <span style={{ height: `${most > 0 ? (spread / most) * 100 : 0}%` }} />
          </button>
        ))}
      </div>
      <p class="marks" aria-hidden="true">
        {marks.map((at) => (
          <span key={at} style={{ left: `${((at + 0.5) / spreads.length) * 100}%` }}>
            {at}
          </span>
        ))}
      </p>
    </div>
  );
}

/** Small pictures of densities, as many as Figure 3 of the paper has. */
const FIRST = 10;

export function StepsPanel() {
  const [now, shown] = [told.value, shownInstant()];
  const steps = option("time-steps");
  const [start, end] = now?.span ?? [0, 0];
  const number = shown?.number ?? 0;
  return (
    <Panel title="Time steps" testid="time-steps" beside={<span>spread</span>}>
      <Spread />
      <div class="choice-row">
        <span>Steps</span>
        <div class="seg stepper">
          <button
            type="button"
            aria-label="Fewer steps"
            disabled={steps <= 1}
            onClick={() => setTimeSteps(nextSteps(steps, -1))}
          >
            −
          </button>
          <DraftField
            label={OPTIONS["time-steps"].title}
            title={helpOf("time-steps")}
            applied={String(steps)}
            apply={(text) => {
              const asked = Number(text);
              if (!Number.isInteger(asked) || asked < 1 || asked > 1000) return "Write a number from 1 to 1000.";
              setTimeSteps(asked);
              return null;
            }}
          />
          <button
            type="button"
            aria-label="More steps"
            disabled={steps >= 1000}
            onClick={() => setTimeSteps(nextSteps(steps, 1))}
          >
            +
          </button>
        </div>
      </div>
      {now !== null && (
        <>
          <div class="choice-row">
            <span>One step</span>
            <span class="quiet" data-testid="one-step">
              {formatDuration((end - start) / steps)}
            </span>
          </div>
          <div class="choice-row">
            <span>Shown step</span>
            <div class="seg stepper">
              <button
                type="button"
                aria-label="Previous step"
                title="Previous step (,)"
                disabled={number <= 0}
                onClick={() => stepInstant(-1)}
              >
                ‹
              </button>
              <output data-testid="shown-step">{number}</output>
              <button
                type="button"
                aria-label="Next step"
                title="Next step (.)"
                disabled={number >= lastInstant()}
                onClick={() => stepInstant(1)}
              >
                ›
              </button>
            </div>
          </div>
          <Toggle
            class="option"
            label={`Densities of the first ${FIRST}`}
            title={helpOf("densities")}
            on={option("densities") > 0}
            onChange={(on) => setOptions({ densities: on ? FIRST : 0 })}
          />
        </>
      )}
    </Panel>
  );
}
