/** Types of tasks with their colours and their shares of the workers' time. As in other legends, a click highlights. */
import type { TaskTypeTold } from "../../../api/types";
import { formatCount, formatDuration, plural, printable } from "../../../base/format";
import { percent } from "../../../pane/words";
import { place, regionColour, regionOf, toggleHidden, toggleHighlight } from "../../../state/state";
import { Panel, PickRow } from "../panel";
import { told } from "./data";
import { middleOut } from "./words";

/** More types than these are few tasks each. */
const MOST = 12;
const MOST_LETTERS = 19;

/** What is known of a type, line by line. */
function about({ tasks, means, outliers }: TaskTypeTold, kinds: readonly string[]): string {
  const ran = means.flatMap((mean, kind) =>
    mean === null ? [] : [`${formatDuration(mean)} on average${kinds[kind] ? ` on ${printable(kinds[kind])}` : ""}`],
  );
  const late = outliers > 0 ? [`${formatCount(outliers)} far longer than usual`] : [];
  return [`${formatCount(tasks)} ${plural(tasks, "task")}`, ...ran, ...late].join("\n");
}

export function TaskTypesPanel() {
  const now = told.value;
  // Steps and iterations have no types, and so no names.
  if (now === null || now.types.every(({ name }) => name === "")) return null;
  const kinds = now.kinds.map(({ name }) => name);
  const rest = now.types.slice(MOST);
  return (
    <Panel title="Task types" testid="task-types" beside={<span>% of time</span>}>
      <ul>
        {now.types.slice(0, MOST).map((type) => {
          // Highlights go by the names that all views share.
          const name = regionOf(type.region)?.name ?? type.name;
          return (
            <PickRow
              key={type.region}
              on={place.value.highlight.includes(name)}
              off={place.value.hidden.includes(name)}
              testid="task-type"
              data={{ "data-region": name }}
              title={`${printable(name)}\n${about(type, kinds)}\nClick to highlight, Alt-click to hide`}
              onClick={(event) => (event.altKey ? toggleHidden(name) : toggleHighlight(name))}
            >
              <span class="sw" style={{ background: regionColour(type.region) ?? "var(--compute)" }} />
              <span class="label">{middleOut(printable(type.name), MOST_LETTERS)}</span>
              <span class="n">{percent(type.share * 100)}</span>
            </PickRow>
          );
        })}
        {rest.length > 0 && (
          <li class="row">
            <span class="name">
              <span class="sw compute" />
              <span class="label">{formatCount(rest.length)} others</span>
              <span class="n">{percent(rest.reduce((sum, type) => sum + type.share, 0) * 100)}</span>
            </span>
          </li>
        )}
        <li class="row">
          <span class="name">
            <span class="sw compute" />
            <span class="label">idle</span>
            <span class="n">{percent(now.idle * 100)}</span>
          </span>
        </li>
      </ul>
    </Panel>
  );
}
