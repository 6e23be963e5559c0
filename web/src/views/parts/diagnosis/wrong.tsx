/** What is wrong with the run: the verdict, what the time is lost to, a card per cause; and what is not a problem. */
import type { DiagnosisTold } from "../../../api/types";
import { formatCount, plural, printable } from "../../../base/format";
import { diagnosis, diagnosisTold } from "../../../state/state";
import { LinkButton } from "../controls";
import { Panel } from "../panel";
import { Card } from "./cards";
import { isComing } from "./data";
import { Pieces } from "./pieces";
import { Split } from "./split";

/** How far the diagnosis is, and a way to stop it. */
export function Coming(props: { words: string }) {
  const now = diagnosis.state.value;
  const isBuilding = now?.state === "building";
  const done = isBuilding ? Math.round(100 * Math.min(Math.max(now.done, 0), 1)) : 0;
  return (
    <p class="coming" data-testid="diagnosis-coming">
      <span class="quiet">{isBuilding ? `${props.words}, ${done} %` : `${props.words} …`}</span>
      {isBuilding && (
        <LinkButton title="Give it up; it can be begun again" onClick={() => void diagnosis.cancel()}>
          Stop
        </LinkButton>
      )}
    </p>
  );
}

/** Why there is none. */
function Missing() {
  const now = diagnosis.state.value;
  if (now?.state === "cancelled")
    return (
      <p class="coming">
        <span class="quiet">The diagnosis was stopped.</span>
        <LinkButton onClick={diagnosis.again}>Compute it</LinkButton>
      </p>
    );
  const why = now?.state === "none" ? now.why : now?.state === "failed" ? now.error : diagnosisTold.problem.value;
  return <p class="say calm">{printable(why ?? "There is nothing to say.", 400)}</p>;
}

export function WhatIsWrong() {
  const now = diagnosisTold.answer.value;
  const count = now?.findings.length ?? 0;
  return (
    <Panel
      title="What is wrong"
      testid="what-is-wrong"
      class="wrong"
      busy={isComing()}
      beside={
        now !== null && <span>{count === 0 ? now.verdict : `${formatCount(count)} ${plural(count, "finding")}`}</span>
      }
    >
      {now === null && (isComing() ? <Coming words="Looking for it" /> : <Missing />)}
      {now !== null && (
        <>
          <Split told={now} />
          {/* The cards say it themselves, and more. */}
          {(now.verdict !== "faulty" || count === 0) && (
            <p class="headline say calm" data-testid="headline">
              <Pieces text={now.headline} />
            </p>
          )}
          <ol class="faults">
            {now.findings.map((finding) => (
              <Card key={finding.number} finding={finding} />
            ))}
          </ol>
          {now.notes.map((note) => (
            <p class="note" key={note}>
              <span aria-hidden="true">▲ </span>
              {printable(note, 400)}
            </p>
          ))}
        </>
      )}
    </Panel>
  );
}

/** What was examined, each with whether it is in order. */
function Checks(props: { checks: DiagnosisTold["checks"] }) {
  return (
    <ul class="checks">
      {props.checks.map(({ ok, text }) => (
        <li key={text} class={ok ? "ok" : "not"}>
          <span aria-hidden="true">{ok ? "✓" : "–"}</span>
          <span class="unseen">{ok ? "in order: " : "not in order: "}</span>
          {printable(text, 80)}
        </li>
      ))}
    </ul>
  );
}

/** What is not in order, and costs too little to be a finding. */
export function Noticed() {
  const found = diagnosisTold.answer.value?.checks.filter(({ ok }) => !ok) ?? [];
  if (found.length === 0) return null;
  return (
    <Panel title="Noticed" testid="noticed" class="calm-panel wide">
      <Checks checks={found} />
    </Panel>
  );
}

export function NotAProblem() {
  const now = diagnosisTold.answer.value;
  if (now === null) return null;
  const { remaining, verdict } = now;
  const checks = now.checks.filter(({ ok }) => ok);
  if (remaining.length === 0 && checks.length === 0) return null;
  return (
    <Panel
      title={verdict === "balanced" ? "What was examined" : "Not a problem"}
      testid="not-a-problem"
      class="calm-panel"
    >
      {remaining.length > 0 && (
        <p class="remaining">
          <Pieces text={remaining} />
        </p>
      )}
      <Checks checks={checks} />
    </Panel>
  );
}
