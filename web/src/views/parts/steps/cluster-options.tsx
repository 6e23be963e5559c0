/** How ranks are gathered into clusters: the options of the command line. */
import { ANALYSES, OPTIONS, type OptionName } from "../../../api/options";
import type { ClustersAbout } from "../../../api/types";
import { formatCount, printable } from "../../../base/format";
import { clusters, option, setOptions, stepWindow } from "../../../state/state";
import { helpOf, LinkButton, OptionSelect, OptionToggle, ResetLink } from "../controls";
import { Panel } from "../panel";

const NAMES: readonly OptionName[] = ANALYSES.clusters.filter((name) => !ANALYSES.logical.includes(name));

function NumberField(props: { name: "clusters" | "samples" | "seed" }) {
  const { name } = props;
  const spec = OPTIONS[name];
  const { title } = spec;
  const [least, most] = spec.kind === "number" ? [spec.least, spec.most] : [0, 0];
  return (
    <div class="field">
      <span class="what">{title}</span>
      <input
        type="number"
        aria-label={title}
        title={helpOf(name)}
        min={least}
        max={most}
        value={option(name)}
        onChange={(event) => {
          const value = event.currentTarget.valueAsNumber;
          if (Number.isInteger(value) && value >= least && value <= most) setOptions({ [name]: value });
          else event.currentTarget.value = String(option(name));
        }}
      />
    </div>
  );
}

/** Whose clusters they are, in words. */
export function scopeWords({ is_run, phase, steps: [from, to] }: ClustersAbout): string {
  if (is_run) return "the whole run";
  return phase === null ? `steps ${formatCount(from)}–${formatCount(to - 1)}` : `phase ${formatCount(phase)}`;
}

/** The steps in sight, as a scope. */
export function scopeInSight(): string {
  const [from, to] = stepWindow.value;
  return `steps:${Math.max(Math.floor(from), 0)}:${Math.max(Math.ceil(to), 1)}`;
}

/** Whose clusters they are, and the ways to others. */
function ScopeField() {
  const about = clusters.ready.value;
  const scope = option("scope");
  const inSight = scopeInSight();
  return (
    <div data-testid="cluster-of">
      <p class="quiet">of {about === null ? "…" : scopeWords(about)}</p>
      {about?.pattern && (
        <p class="quiet" data-testid="cluster-pattern">
          <b>{about.pattern[0]}</b>: {printable(about.pattern[1], 300)}
        </p>
      )}
      <p class="links">
        {scope !== "run" && about?.is_run !== true && (
          <LinkButton title="Cluster ranks by the whole run" onClick={() => setOptions({ scope: "run" })}>
            whole run
          </LinkButton>
        )}{" "}
        {scope !== inSight && (
          <LinkButton title="Cluster ranks by the steps in sight" onClick={() => setOptions({ scope: inSight })}>
            steps in sight
          </LinkButton>
        )}{" "}
        <ResetLink names={["scope"]} plain title="As it was at first">
          as at first
        </ResetLink>
      </p>
    </div>
  );
}

export function ClusterOptionsPanel() {
  return (
    <Panel
      title="Clusters"
      testid="cluster-options"
      beside={
        <ResetLink names={NAMES} plain title="Reset all options">
          reset
        </ResetLink>
      }
    >
      <ScopeField />
      <OptionToggle name="aggregates" label="What lies between events" class="option" />
      <OptionToggle name="idle" label="Ranks without an event" class="option" />
      <ResetLink names={["open"]} title="Open and close clusters as they were at first">
        open as at first
      </ResetLink>
      <details class="more">
        <summary data-testid="cluster-options-more">options</summary>
        <div class="field">
          <span class="what">{OPTIONS.distance.title}</span>
          <OptionSelect
            name="distance"
            label={OPTIONS.distance.title}
            words={{ paper: "where one has an event", held: "at all steps, values held" }}
          />
        </div>
        <NumberField name="clusters" />
        <NumberField name="samples" />
        <NumberField name="seed" />
      </details>
    </Panel>
  );
}
