/** Functions by the time that they take and by the waiting that they cause, part by part. */
import { printable } from "../../../base/format";
import { diagnosisTold, findingNow, place, regionColour, toggleHidden, toggleHighlight } from "../../../state/state";
import { Panel, PickRow } from "../panel";
import { type CostPart, type CostRow, costsOf } from "./costs";
import { findingOf, isComing } from "./data";
import { showFinding } from "./show";

/** One decimal; never a nought for something. */
function figure(value: number): string {
  return value.toFixed(1);
}

function Part(props: { part: CostPart }) {
  const { label, finding: number, cost } = props.part;
  const finding = findingOf(number);
  const words = printable(label);
  if (finding === null)
    return (
      <li class="row fn sub">
        <span class="name">
          <span class="label">{words}</span>
          <span class="c">{figure(cost)}</span>
        </span>
      </li>
    );
  return (
    <PickRow
      on={findingNow.value === finding}
      testid="cost-part"
      class="fn sub"
      data={{ "data-finding": finding.number }}
      title={`${printable(finding.title)}\nClick to show it in the timeline`}
      onClick={() => showFinding(finding)}
    >
      <span class="label">{words}</span>
      <span class="badge small">{finding.number}</span>
      <span class="c">{figure(cost)}</span>
    </PickRow>
  );
}

function Row(props: { row: CostRow }) {
  const { told, name, time, cost, parts } = props.row;
  const words = printable(name);
  const colour = told === null || told.region === null ? null : regionColour(told.region);
  const marks = (
    <>
      <span
        class={`sw ${colour === null ? "compute" : ""}`}
        style={colour === null ? undefined : { background: colour }}
      />
      <span class="label">{words}</span>
      <span class="t">{figure(time)}</span>
      <b class="c">{figure(cost)}</b>
    </>
  );
  return (
    <>
      {told === null || told.region === null ? (
        <li class="row">
          <span class="name fn">{marks}</span>
        </li>
      ) : (
        <PickRow
          on={place.value.highlight.includes(name)}
          off={place.value.hidden.includes(name)}
          testid="cost-row"
          class="fn"
          data={{ "data-region": name }}
          title={`${words}\n${figure(time)} % of the run in it, ${figure(cost)} % waiting for it\nClick to highlight, Alt-click to hide`}
          onClick={(event) => (event.altKey ? toggleHidden(name) : toggleHighlight(name))}
        >
          {marks}
        </PickRow>
      )}
      {parts.map((part) => (
        <Part key={`${part.finding} ${part.label}`} part={part} />
      ))}
    </>
  );
}

export function FunctionCosts() {
  const now = diagnosisTold.answer.value;
  if (now === null) return isComing() ? <Panel title="Functions" class="costs" busy /> : null;
  const { rows, total } = costsOf(now);
  return (
    <Panel
      title="Functions"
      testid="function-costs"
      class="costs"
      beside={
        <span class="cols">
          <span>time</span>
          <span>cost</span>
        </span>
      }
    >
      <p class="of">% of the run; cost: waits caused</p>
      <ul>
        {rows.map((row) => (
          <Row key={`${row.told?.region} ${row.name}`} row={row} />
        ))}
        <li class="row sum">
          <span class="name fn">
            <span class="label">all waiting</span>
            <b class="c" data-testid="all-waiting">
              {figure(total)}
            </b>
          </span>
        </li>
      </ul>
    </Panel>
  );
}
