/** What a pane of steps says while there are none: how far they are, why there are none, and what one can do. */
import { printable } from "../base/format";
import { cancelComputation, canUndo, computeAgain, go, logicalState, undo } from "../state/state";

export function LogicalNotice(props: { pane: string; brief?: boolean }) {
  const now = logicalState.value;
  if (now === null || now.state === "ready") return null;
  return (
    <div
      class={`step-notice ${props.brief ? "brief" : ""}`}
      data-testid="step-notice"
      data-state={now.state}
      role="status"
    >
      {now.state === "building" && <Building stage={now.stage} done={now.done} brief={props.brief === true} />}
      {now.state === "cancelled" && (
        <>
          <b>Logical time was cancelled.</b>
          {!props.brief && (
            <p class="leads">
              <button type="button" class="button" onClick={computeAgain}>
                Compute it
              </button>
              {canUndo.value && (
                <button type="button" class="button" onClick={undo}>
                  Back to what was there
                </button>
              )}
            </p>
          )}
        </>
      )}
      {now.state === "none" && (
        <>
          <b>There are no steps to show.</b>
          {!props.brief && (
            <>
              <p>{printable(now.why, 400)}</p>
              <p class="leads">
                <button type="button" class="button" onClick={() => go({ layout: "overview" }, "push")}>
                  Show the overview
                </button>
              </p>
            </>
          )}
        </>
      )}
      {now.state === "failed" && (
        <>
          <b>Logical time could not be computed.</b>
          {!props.brief && (
            <>
              <p>{printable(now.error, 400)}</p>
              <p class="leads">
                <button type="button" class="button" onClick={computeAgain}>
                  Try again
                </button>
              </p>
            </>
          )}
        </>
      )}
    </div>
  );
}

function Building(props: { stage: string; done: number; brief: boolean }) {
  const percent = Math.round(100 * Math.min(Math.max(props.done, 0), 1));
  const words = `${printable(props.stage)}, ${percent} %`;
  if (props.brief) return <span class="quiet">{words}</span>;
  return (
    <>
      <b>Ordering the communication into steps</b>
      <progress max={100} value={percent} aria-label="Logical time" />
      <p class="split">
        <span data-testid="step-stage">{words}</span>
        <button type="button" class="link" onClick={() => void cancelComputation()}>
          Cancel
        </button>
      </p>
    </>
  );
}
