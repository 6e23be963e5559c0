/** What a pane says while an analysis that it needs is not there: how far it is, why there is none, what one can do. */
import type { ComponentChildren } from "preact";
import type { AnalysisName } from "../../api/options";
import { printable } from "../../base/format";
import { analysis, canUndo, go, undo } from "../../state/state";

/** An analysis in words. */
interface Words {
  /** "Logical time" was cancelled; could not be computed. */
  title: string;
  /** What goes on while it is computed. */
  doing: string;
  /** What is said where there is nothing to compute, and what to look at instead. */
  none: string;
  instead: { title: string; layout: string };
}

const WORDS: { readonly [A in AnalysisName]: Words } = {
  "by-rank": {
    title: "Calls by rank",
    doing: "Counting calls by rank",
    none: "There are no calls to count.",
    instead: { title: "Show the overview", layout: "overview" },
  },
  chosen: {
    title: "Calls of these ranks",
    doing: "Counting calls of these ranks",
    none: "There are no calls to count.",
    instead: { title: "Show the overview", layout: "overview" },
  },
  clusters: {
    title: "Clustering",
    doing: "Gathering ranks that behave alike",
    none: "There are no clusters to show.",
    instead: { title: "Show the overview", layout: "overview" },
  },
  diagnosis: {
    title: "The diagnosis",
    doing: "Finding out who waits for whom, and why",
    none: "There is no diagnosis of this run.",
    instead: { title: "Show the overview", layout: "overview" },
  },
  kinds: {
    title: "Telling calls apart",
    doing: "Telling calls apart by bytes and callers",
    none: "There are no calls to tell apart.",
    instead: { title: "Show the overview", layout: "overview" },
  },
  logical: {
    title: "Logical time",
    doing: "Ordering communication into steps",
    none: "There are no steps to show.",
    instead: { title: "Show the overview", layout: "overview" },
  },
  messages: {
    title: "The matrix",
    doing: "Adding up messages",
    none: "There are no messages to add up.",
    instead: { title: "Show the overview", layout: "overview" },
  },
  network: {
    title: "The machine",
    doing: "Putting ranks on their nodes",
    none: "There is no machine to show.",
    instead: { title: "Show the overview", layout: "overview" },
  },
  profile: {
    title: "The profile",
    doing: "Counting the calls of every function",
    none: "There are no calls to count.",
    instead: { title: "Show the overview", layout: "overview" },
  },
  progress: {
    title: "The progression",
    doing: "Adding up the work of every node",
    none: "There is no work to count.",
    instead: { title: "Show the overview", layout: "overview" },
  },
  values: {
    title: "The histogram",
    doing: "Counting the values of counters",
    none: "There are no counters to count.",
    instead: { title: "Show the overview", layout: "overview" },
  },
};

/** In a low pane `brief` words are enough: another one says the rest. */
export function AnalysisNotice(props: { name: AnalysisName; brief?: boolean }) {
  const { name, brief = false } = props;
  const { state, cancel, again } = analysis(name);
  const words = WORDS[name];
  const now = state.value;
  if (now === null || now.state === "ready") return null;
  const frame = (children: ComponentChildren) => (
    <div
      class={`analysis-notice ${brief ? "brief" : ""}`}
      data-testid="step-notice"
      data-state={now.state}
      role="status"
    >
      {children}
    </div>
  );
  switch (now.state) {
    case "building":
      return frame(<Building {...now} words={words} brief={brief} cancel={() => void cancel()} />);
    case "cancelled": {
      const back = canUndo.value ? [{ title: "Go back", run: undo }] : [];
      const leads = [{ title: "Compute it", run: again }, ...back];
      return frame(<Ended title={`${words.title} was cancelled.`} brief={brief} leads={leads} />);
    }
    case "none": {
      const { title, layout } = words.instead;
      const leads = [{ title, run: () => go({ layout }, "push") }];
      return frame(<Ended title={words.none} text={now.why} brief={brief} leads={leads} />);
    }
    case "failed": {
      const leads = [{ title: "Try again", run: again }];
      return frame(
        <Ended title={`${words.title} could not be computed.`} text={now.error} brief={brief} leads={leads} />,
      );
    }
  }
}

/** A line at the edge of a picture, while something is computed by which the next ones come sooner. */
export function SoonerNotice(props: { name: AnalysisName }) {
  const now = analysis(props.name).state.value;
  if (now?.state !== "building") return null;
  return (
    <p class="sooner-notice" data-testid="sooner-notice" role="status">
      {WORDS[props.name].doing}, to draw faster: {percentOf(now.done)} %
    </p>
  );
}

/** How much of something is done. */
function percentOf(done: number): number {
  return Math.round(100 * Math.min(Math.max(done, 0), 1));
}

function Building(props: { stage: string; done: number; words: Words; brief: boolean; cancel: () => void }) {
  const percent = percentOf(props.done);
  const stage = `${printable(props.stage)}, ${percent} %`;
  if (props.brief) return <span class="quiet">{stage}</span>;
  return (
    <>
      <b>{props.words.doing}</b>
      <progress max={100} value={percent} aria-label={props.words.title} />
      <p class="split">
        <span data-testid="step-stage">{stage}</span>
        <button type="button" class="link" onClick={props.cancel}>
          Cancel
        </button>
      </p>
    </>
  );
}

function Ended(props: {
  title: string;
  text?: string;
  brief: boolean;
  leads: readonly { title: string; run: () => void }[];
}) {
  return (
    <>
      <b>{props.title}</b>
      {props.text !== undefined && !props.brief && <p>{printable(props.text, 400)}</p>}
      {!props.brief && (
        <p class="leads">
          {props.leads.map(({ title, run }) => (
            <button key={title} type="button" class="button" onClick={run}>
              {title}
            </button>
          ))}
        </p>
      )}
    </>
  );
}
