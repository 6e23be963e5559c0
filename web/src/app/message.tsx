/** Pages of words, for when there is no picture to show: each says what is the matter and what to do. */
import type { ComponentChildren } from "preact";
import type { TraceInfo } from "../api/types";
import { printable } from "../base/format";
import { cancel, openTrace, type Page, traces } from "../state/state";
import { Brand } from "./header";

function Message(props: { title: string; children: ComponentChildren; live?: boolean }) {
  return (
    <main class="message-page" data-testid="message-page" aria-live={props.live ? "polite" : undefined}>
      <div class="card">
        <Brand />
        <h1>{props.title}</h1>
        {props.children}
      </div>
    </main>
  );
}

function TraceLinks() {
  return (
    <ul class="traces">
      {traces.value.map((one) => (
        <li key={one.id}>
          <button type="button" class="link" onClick={() => openTrace(one.id)}>
            {printable(one.name)}
          </button>
          <span class={one.state === "failed" ? "problem" : "quiet"}>
            {one.state === "importing" ? `importing, ${Math.round((one.done ?? 0) * 100)} %` : one.state}
          </span>
        </li>
      ))}
    </ul>
  );
}

function OtherTraces() {
  if (traces.value.length < 2) return null;
  return (
    <>
      <p>Other traces on this server:</p>
      <TraceLinks />
    </>
  );
}

function Importing(props: { page: Extract<Page, { kind: "importing" }> }) {
  const { id, name, stage, done } = props.page.trace;
  const share = Math.round(Math.min(Math.max(done ?? 0, 0), 1) * 100);
  return (
    <Message title={`Importing ${printable(name, 80)}`}>
      <p>The trace is imported once; next time it opens immediately.</p>
      <progress max={100} value={share} aria-label="Import">
        {share} %
      </progress>
      <p class="quiet split">
        <span>{printable(stage ?? "reading", 80)}</span>
        <span>{share} %</span>
      </p>
      <button type="button" class="button" onClick={() => cancel(id)}>
        Cancel
      </button>
    </Message>
  );
}

export function MessagePage(props: { page: Page }) {
  const { page } = props;
  switch (page.kind) {
    case "locked":
      return (
        <Message title="This page needs its key">
          <p>
            Open the URL that <code>heddle</code> printed when it started: it ends in <code>#token=…</code>. The token
            keeps others on the same machine from reading your trace.
          </p>
          <p>
            Lost it? <code>heddle list</code> prints the running servers again, or stop Heddle and start it again.
          </p>
        </Message>
      );
    case "importing":
      return <Importing page={page} />;
    case "failed":
      return (
        <Message title={`${printable(page.name, 80)} could not be opened`}>
          <p class="say" role="alert">
            {printable(page.error, 2000)}
          </p>
          <p>
            Check that the file is complete and that its companion files are next to it, then start Heddle again. To see
            what it can read, run <code>heddle formats</code>; to see what is in the file, <code>heddle info</code>.
          </p>
          <OtherTraces />
        </Message>
      );
    case "refused":
      return (
        <Message title={`${printable(page.name, 80)} can no longer be shown`}>
          <p class="say" role="alert">
            {printable(page.error, 2000)}
          </p>
          <OtherTraces />
        </Message>
      );
    case "none":
      return (
        <Message title="No trace">
          <p>
            This server was started without a trace. Try <code>heddle open TRACE</code>.
          </p>
        </Message>
      );
    case "unknown":
      return (
        <Message title="That trace is not here">
          <p>The link names a trace that this server was not started with. It has these:</p>
          <TraceLinks />
        </Message>
      );
    case "choose":
      return (
        <Message title="Which trace?">
          <TraceLinks />
        </Message>
      );
    default:
      return (
        <Message title="Opening the trace …">
          <progress aria-label="Opening" />
        </Message>
      );
  }
}

/** A trace without a single span: nothing to draw, but much to explain. */
export function EmptyTrace(props: { info: TraceInfo }) {
  const { name, warnings } = props.info;
  return (
    <Message title={`${printable(name, 80)} is empty`}>
      <NothingRecorded />
      {warnings.map(({ text }) => (
        <p class="say" key={text}>
          {printable(text, 600)}
        </p>
      ))}
      <OtherTraces />
    </Message>
  );
}

function NothingRecorded() {
  return (
    <>
      <p>The trace was read, but no process ever entered a function in it, so there is nothing to draw.</p>
      <p>
        Usually the program ended before the measurement was written, or the recording was switched off or filtered
        everything. <code>heddle info</code> shows the definitions that are there.
      </p>
    </>
  );
}
