/** Who called: the key to colours that are those of callers. */
import { formatCount, formatShort, printable } from "../../../base/format";
import { drawn, place, toggleHighlight, trace } from "../../../state/state";
import { Panel, PickRow } from "../panel";
import { isByCaller } from "./data";

export function numberIn(text: string): number {
  return Number(text.replace(/\D/g, ""));
}

/** The callers that the largest picture of calls shows, with its colours. */
export function callersShown(): { name: string; calls: number; colour: string }[] {
  if (!isByCaller()) return [];
  const panes = [...drawn.value.values()].filter(({ density, legend }) => density && legend);
  const sums = panes.map(({ legend }) =>
    (legend ?? []).map(({ name, value, colour }) => ({ name, calls: numberIn(value), colour })),
  );
  const total = (callers: { calls: number }[]) => callers.reduce((sum, { calls }) => sum + calls, 0);
  return sums.reduce((most, one) => (total(one) > total(most) ? one : most), []);
}

export function CallerKey() {
  const callers = callersShown();
  if (callers.length === 0) return null;
  const known = new Set(trace.value?.regions.map(({ name }) => name));
  return (
    <Panel title="Called from" testid="callers" beside={<span>calls</span>}>
      <ul>
        {callers.map(({ name, calls, colour }) => {
          const words = printable(name);
          const mark = (
            <>
              <span class="sw" style={{ background: colour }} />
              <span class="label">{words}</span>
              <span class="n">{formatShort(calls)}</span>
            </>
          );
          // What stands for several callers, or for none, is no function that could be highlighted.
          return known.has(name) ? (
            <PickRow
              key={name}
              on={place.value.highlight.includes(name)}
              testid="caller-row"
              title={`${formatCount(calls)} calls from ${words}\nClick to highlight them`}
              onClick={() => toggleHighlight(name)}
            >
              {mark}
            </PickRow>
          ) : (
            <li class="row" key={name} data-testid="caller-row">
              <span class="name">{mark}</span>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
