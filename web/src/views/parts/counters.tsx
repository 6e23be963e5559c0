/** Which counters are shown: as lanes of their own, or as tracks below the rows of the timeline. */
import { printable } from "../../base/format";
import { option, setOptions, trace } from "../../state/state";
import { helpOf, LinkButton } from "./controls";
import { Panel, PickRow } from "./panel";

/** Names of all counters, each once. */
function known(): string[] {
  return [...new Set((trace.value?.metrics ?? []).map(({ name }) => name))];
}

/** The names that are chosen; none means all. A name may have commas, a piece of the list may be a part of names. */
function chosen(all: readonly string[]): Set<string> {
  const pieces = option("metrics").split(",");
  const names = new Set<string>();
  for (let at = 0; at < pieces.length; ) {
    const joined = (end: number) => pieces.slice(at, end).join(",").trim();
    let end = pieces.length;
    while (end > at + 1 && !all.includes(joined(end))) end -= 1;
    const piece = joined(end);
    const found = all.includes(piece) ? [piece] : all.filter((name) => piece !== "" && name.includes(piece));
    for (const name of found) names.add(name);
    at = end;
  }
  return names;
}

/** Which counters have lanes: a click shows or hides one. */
export function Metrics() {
  const all = known();
  const shown = chosen(all);
  const toggle = (name: string) => {
    const next = all.filter((one) => (one === name) !== shown.has(one));
    setOptions({ metrics: next.length === all.length ? "" : next.join(",") });
  };
  return (
    <Panel
      title="Counters"
      testid="counter-list"
      beside={
        shown.size > 0 && (
          <LinkButton plain title="Show all counters" onClick={() => setOptions({ metrics: "" })}>
            show all
          </LinkButton>
        )
      }
    >
      <ul class="rows" title={helpOf("metrics")}>
        {all.map((name) => (
          <PickRow
            key={name}
            on={shown.has(name)}
            off={shown.size > 0 && !shown.has(name)}
            testid="counter"
            title={shown.has(name) ? "Leave it out" : "Show it, with others that are chosen"}
            onClick={() => toggle(name)}
          >
            {printable(name, 80)}
          </PickRow>
        ))}
      </ul>
    </Panel>
  );
}
