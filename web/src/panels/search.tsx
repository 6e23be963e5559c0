/**
 * Search as one types: functions, ranks, nodes, communicators; beside steps, also `step 120` and `phase 12`.
 *
 * A function is highlighted and its next occurrence selected; Enter again goes on, Shift-Enter back. The list stays open
 * for that, so that one can walk through a run without touching the mouse.
 */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ask, isAbort } from "../api/client";
import { formatSelection, type Selection } from "../api/selection";
import type { Hit } from "../api/types";
import { formatDuration, printable } from "../base/format";
import { joined } from "../base/words";
import {
  allSteps,
  details,
  go,
  goTo,
  hasSteps,
  place,
  questionOf,
  regionOf,
  reveal,
  rowsQuestion,
  rowWindow,
  say,
  showSelection,
  showSteps,
  theme,
  timeWindow,
  trace,
  wholeTime,
} from "../state/state";
import { LinkButton } from "../views/parts/controls";
import { inSight } from "../views/registry";
import type { Finding } from "../views/view";
import { similar } from "./similar";
import { type StepHit, stepHit } from "./step-hit";

const QUIET_MS = 80;
/** With more rows than this in sight a row cannot be made out, so that a rank found gets a closer look. */
const MANY_ROWS = 64;

/** Names suggested when nothing was found. */
const MOST_SIMILAR = 3;

/** What was found last: the next question starts from it even if its details have not arrived yet. */
let last: { region: number; select: Selection; start: number } | null = null;

/** Where to look on from: the call that is selected, if it is one of that function. */
function startOf(region: number): number | null {
  const { selected } = place.value;
  if (selected !== null && last?.select === selected && last.region === region) return last.start;
  const known = details.answer.value;
  return known?.select === selected && known?.region === region ? Number(known?.start_ns ?? 0) : null;
}

/** Selects the next or previous span of a region, from the selected one or the window's edge, once round the run. */
async function findNext(region: number, direction: "next" | "previous"): Promise<void> {
  const find = (after: number) =>
    ask(
      place.value.trace,
      "find",
      questionOf({ region: String(region), after: String(Math.round(after)), direction, ...rowsQuestion() }),
    );
  const [from, to] = timeWindow.value;
  let target = await find(startOf(region) ?? (direction === "next" ? Math.max(from - 1, 0) : to));
  if (!target) {
    target = await find(direction === "next" ? 0 : wholeTime.value[1]);
    if (target) say(direction === "next" ? "Continued from the beginning." : "Continued from the end.");
  }
  if (!target) {
    say("No such call on these ranks.");
    return;
  }
  last = { region, select: target.select, start: Number(target.start_ns) };
  goTo(target);
  say(`${printable(target.label)}, ${formatDuration(Number(target.end_ns) - Number(target.start_ns))}`);
}

/** Hits, and what they answer: those of an older text must not be chosen by a quick Enter. */
interface Found {
  query: string;
  list: AnyHit[];
}

type AnyHit = Hit | StepHit | ({ kind: "part" } & Finding);

function choose(hit: AnyHit, back: boolean): void {
  if (hit.kind === "step") showSteps([hit.number, hit.number + 1]);
  else if (hit.kind === "part") go({ selected: hit.select }, "push");
  else if (hit.kind === "phase") void showSelection(formatSelection({ kind: "phase", number: hit.number }));
  else if (hit.kind === "function" && hit.region !== undefined) {
    const region = hit.region;
    const name = regionOf(region)?.name;
    if (name !== undefined && !place.value.highlight.includes(name)) go({ highlight: [name] }, "push");
    findNext(region, back ? "previous" : "next").catch(() => say("The server did not answer."));
  } else if (hit.kind === "rank" || hit.kind === "node") {
    showRanks(hit);
  } else if (hit.kind === "communicator") {
    if (hit.ranks === undefined || hit.ranks.endsWith("…")) say("Too many separate ranks for a filter.");
    else go({ ranks: hit.ranks }, "push");
  }
}

/** Selects ranks, so that their rows are marked in every view, and brings them into view. */
function showRanks({ label, rows, ranks }: Hit): void {
  if (rows === undefined) {
    say(`The filter of ranks leaves out ${printable(label)}.`);
    return;
  }
  const selected = ranks === undefined ? null : formatSelection({ kind: "ranks", ranks });
  const [from, to] = rowWindow.value;
  const length = rows[1] - rows[0];
  const middle = (rows[0] + rows[1]) / 2;
  const half = Math.max(MANY_ROWS / 2, length) / 2;
  // Rows that cannot be made out among the others get a closer look; the others stay where they are.
  const isFar = to - from > Math.max(MANY_ROWS, 2 * length);
  const window: [number, number] = isFar
    ? [Math.floor(middle - half), Math.ceil(middle + half)]
    : reveal([from, to], rows);
  go({ selected, rows: window }, "push");
  say(`${printable(label)} is in view.`);
}

/** What is said when nothing was found: what can be searched for, and what may have been meant. */
function Nothing(props: { query: string; onTry: (text: string) => void }) {
  const { query, onTry } = props;
  const info = trace.value;
  const names = similar(query, info?.regions.map(({ name }) => name) ?? [], MOST_SIMILAR);
  const others = hasSteps.value ? ["a communicator", "step 12", "phase 3"] : ["a communicator"];
  const kinds = [info?.has_ranks ? "a rank (7)" : "a location", "a node (node 2)", ...others];
  const { ranks } = place.value;
  return (
    <div class="nothing" data-testid="search-nothing" role="status">
      <p>
        Nothing is named “{printable(query, 40)}”{ranks !== "" && ` on ranks ${printable(ranks, 30)}`}.
      </p>
      {names.length > 0 && (
        <p>
          Did you mean{" "}
          {names.map((name, i) => (
            <>
              {i > 0 && ", "}
              <LinkButton key={name} onClick={() => onTry(name)}>
                {printable(name, 60)}
              </LinkButton>
            </>
          ))}
          ?
        </p>
      )}
      {ranks !== "" && (
        <p>
          <LinkButton onClick={() => go({ ranks: "" }, "push")}>Search all ranks</LinkButton>
        </p>
      )}
      <p>Search for part of a function's name, {joined(kinds, "or")}.</p>
    </div>
  );
}

export function Search() {
  const text = useSignal("");
  const hits = useSignal<Found | null>(null);
  /** Enter was pressed before the hits of what was typed had come; Shift says backwards. */
  const early = useRef<{ back: boolean } | null>(null);
  const chosen = useSignal(0);
  const open = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const [query, id, colours] = [text.value.trim(), trace.value?.id, theme.value];
  const rows = questionOf(rowsQuestion()).toString();

  const pick = (hit: AnyHit | undefined, back: boolean) => {
    if (!hit) return;
    choose(hit, back);
    if (hit.kind !== "function") open.value = false;
  };

  useEffect(() => {
    if (query === "" || id === undefined) {
      hits.value = null;
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const answer = await ask(
          id,
          "search",
          questionOf({ q: query, theme: colours, ...Object.fromEntries(new URLSearchParams(rows)) }),
          stop.signal,
        );
        const step = hasSteps.value ? stepHit(query, allSteps.value) : null;
        const found = inSight().flatMap(({ finds }) => finds?.(query) ?? []);
        // Views may share what they find.
        const parts = [...new Map(found.map((one) => [one.select, { kind: "part", ...one } as const])).values()];
        const list = [...(step === null ? [] : [step]), ...parts, ...answer.hits];
        hits.value = { query, list };
        chosen.value = 0;
        if (early.current) pick(list[0], early.current.back);
        early.current = null;
      } catch (error) {
        if (!isAbort(error)) hits.value = null;
      }
    }, QUIET_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [query, rows, id, colours]);

  const parts = new Set(inSight().flatMap(({ findable }) => (findable === undefined ? [] : `, ${findable}`)));
  const what = `functions, ranks, nodes${[...parts].join("")}, ${hasSteps.value ? "step 12, phase 3" : "communicators"}`;
  const found = hits.value?.list ?? [];
  const at = Math.min(chosen.value, found.length - 1);
  const shown = open.value && hits.value !== null;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") chosen.value = Math.min(at + 1, found.length - 1);
    else if (event.key === "ArrowUp") chosen.value = Math.max(at - 1, 0);
    else if (event.key === "Enter") {
      if (hits.value?.query === query) {
        open.value = true;
        pick(found[at], event.shiftKey);
      } else early.current = { back: event.shiftKey };
    } else if (event.key === "Escape") {
      if (shown) open.value = false;
      else (event.currentTarget as HTMLElement).blur();
    } else return;
    event.preventDefault();
  };
  return (
    <search
      ref={box}
      class="search"
      onFocusOut={(event) => {
        if (!(event.relatedTarget instanceof Node && box.current?.contains(event.relatedTarget))) open.value = false;
      }}
    >
      <input
        type="text"
        data-testid="search"
        role="combobox"
        aria-label={`Search ${what}`}
        aria-expanded={shown}
        aria-controls="search-list"
        aria-autocomplete="list"
        aria-activedescendant={shown && found.length > 0 ? `search-${at}` : undefined}
        placeholder=" "
        title={`Search ${what}`}
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          open.value = true;
          early.current = null;
        }}
        onFocus={() => (open.value = true)}
        onKeyDown={onKeyDown}
      />
      {/* A placeholder that is shorter where there is less room. */}
      <span class="asks" aria-hidden="true">
        Search<span> functions, ranks, nodes{parts}</span> …
      </span>
      <span class="key" aria-hidden="true">
        /
      </span>
      <div class="search-list" hidden={!shown}>
        <div id="search-list" role="listbox" aria-label="Found">
          {found.map((hit, i) => (
            <div
              key={`${hit.kind}${hit.label}${i}`}
              id={`search-${i}`}
              role="option"
              tabIndex={-1}
              data-testid="search-hit"
              aria-selected={i === at}
              onPointerMove={() => (chosen.value = i)}
              onMouseDown={(event) => event.preventDefault()}
              onClick={(event) => pick(hit, event.shiftKey)}
              onKeyDown={onKeyDown}
            >
              <span
                class={`sw ${"colour" in hit ? "" : "none"}`}
                style={"colour" in hit ? { background: hit.colour } : {}}
              />
              <span class="label">{printable(hit.label)}</span>
              <span class="n">{printable(hit.detail)}</span>
            </div>
          ))}
        </div>
        {shown && found.length === 0 && (
          <Nothing
            query={hits.value?.query ?? ""}
            onTry={(name) => {
              text.value = name;
              document.querySelector<HTMLElement>('[data-testid="search"]')?.focus();
            }}
          />
        )}
        {found[at]?.kind === "function" && (
          <p class="foot">
            <kbd>Enter</kbd> next call <kbd>Shift Enter</kbd> previous
          </p>
        )}
      </div>
    </search>
  );
}
