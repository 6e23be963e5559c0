/** What lies in the brushed rectangle: by function, the slowest calls, and ways on from there. */
import type { Brushed } from "../api/types";
import { formatBytes, formatCount, formatDuration, formatTime, printable } from "../base/format";
import { percent, timeWords } from "../pane/words";
import {
  type BrushRect,
  brushed,
  brushProblem,
  type CallHeight,
  go,
  goCalls,
  goTo,
  LONGEST,
  place,
  regionColour,
} from "../state/state";
import { say } from "./ui";

/** Sums of many calls are hours. */
function sumWords(ns: number): string {
  if (ns >= 3.6e12) return `${(ns / 3.6e12).toPrecision(3)} h`;
  if (ns >= 6e11) return `${(ns / 6e10).toPrecision(3)} min`;
  const [value = "", unit = ""] = formatDuration(ns).split(" ");
  const number = Number(value.replaceAll(",", ""));
  return number < 1000 ? `${Number.parseFloat(number.toPrecision(3))} ${unit}` : `${value} ${unit}`;
}

/** How heights are said; of a counter the page knows no unit. */
function valueWords(y: CallHeight): (value: number) => string {
  if (y === "duration") return sumWords;
  if (y === "bytes") return formatBytes;
  return y === "rank" ? formatCount : (value) => value.toLocaleString("en", { maximumSignificantDigits: 4 });
}

/** Where the rectangle is: what the style has across, and the heights if they are not all. */
function rectWords({ time, values }: BrushRect): string {
  const { style, y } = place.value.calls;
  const across = { "points-end": "ends", "points-start": "starts", lines: "open", arches: "open" }[style];
  const [low, high] = values;
  if (high >= LONGEST) return `${across} ${timeWords(time)}`;
  const words = valueWords(y);
  return `${across} ${timeWords(time)} · ${y === "rank" ? "ranks " : ""}${words(low)}–${words(high)}`;
}

/** Names of the MPI functions say so in their colour; the prefix would only take the room of the numbers. */
function short(name: string): string {
  return printable(name.replace(/^P?MPI_(?=.)/, ""), 40);
}

function Functions(props: { now: Brushed }) {
  const { now } = props;
  return (
    <table data-testid="brushed-functions">
      <thead>
        <tr>
          <th scope="col">function</th>
          <th scope="col">calls</th>
          <th scope="col">total</th>
          <th scope="col">ranks</th>
        </tr>
      </thead>
      <tbody>
        {now.by_function.slice(0, 12).map((one) => (
          <tr key={one.region}>
            <td title={printable(one.name)}>
              <span class="sw" style={{ background: regionColour(one.region) ?? "transparent" }} /> {short(one.name)}
            </td>
            <td>{formatCount(one.calls)}</td>
            <td>{sumWords(Number(one.total_ns))}</td>
            <td>{formatCount(one.ranks)}</td>
          </tr>
        ))}
        <tr class="sum">
          <td>all</td>
          <td data-testid="brushed-calls">{formatCount(now.calls)}</td>
          <td>{sumWords(Number(now.total_ns))}</td>
          <td title={`of ${formatCount(now.ranks_total)}`}>{formatCount(now.ranks)}</td>
        </tr>
      </tbody>
    </table>
  );
}

function Slowest(props: { now: Brushed }) {
  const { now } = props;
  const precision = Math.max(Math.min(...now.slowest.map((one) => Number(one.duration_ns))) / 100, 1);
  return (
    <table data-testid="brushed-slowest">
      <thead>
        <tr>
          <th scope="col">slowest</th>
          <th scope="col">rank</th>
          <th scope="col">end</th>
          <th scope="col">duration</th>
        </tr>
      </thead>
      <tbody>
        {now.slowest.map((one) => {
          const name = short(one.name);
          return (
            <tr key={one.span} class={one.span === place.value.selected ? "on" : ""}>
              <td>
                <button
                  type="button"
                  class="pick"
                  data-testid="slow-call"
                  title={`Select this ${printable(one.name)} of ${printable(one.who)}`}
                  onClick={() => goTo({ span: one.span, start_ns: one.start_ns, end_ns: one.end_ns, row: null })}
                >
                  <span class="sw" style={{ background: regionColour(one.region) ?? "transparent" }} /> {name}
                </button>
              </td>
              <td title={printable(one.who)}>{formatCount(one.rank)}</td>
              <td>{formatTime(Number(one.end_ns), precision)}</td>
              <td>{formatDuration(Number(one.duration_ns))}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The tables as a file. Names from traces could pose as formulas in a spreadsheet, so they are quoted as text. */
function saveCsv(now: Brushed): void {
  const cell = (text: string) => `"${text.replace(/^(?=[=+\-@\t])/, "'").replaceAll('"', '""')}"`;
  const lines = [
    "function,calls,total_ns,ranks",
    ...now.by_function.map((one) => [cell(one.name), one.calls, one.total_ns, one.ranks].join(",")),
    "",
    "function,rank,start_ns,end_ns,duration_ns",
    ...now.slowest.map((one) => [cell(one.name), one.rank, one.start_ns, one.end_ns, one.duration_ns].join(",")),
  ];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }));
  link.download = "brushed.csv";
  link.click();
  URL.revokeObjectURL(link.href);
  say("The rectangle as CSV.");
}

function Leads(props: { now: Brushed; rect: BrushRect }) {
  const { now, rect } = props;
  const filter = now.ranks_filter;
  return (
    <p class="leads">
      <button type="button" class="link" onClick={() => go({ time: rect.time }, "push")}>
        Zoom in
      </button>
      <button
        type="button"
        class="link"
        disabled={filter === undefined}
        title={filter === undefined ? "Too many separate ranks for a filter" : `Ranks ${printable(filter, 60)}`}
        onClick={() => go({ ranks: filter ?? "" }, "push")}
      >
        Only these ranks
      </button>
      <button type="button" class="link" onClick={() => saveCsv(now)}>
        Export CSV
      </button>
    </p>
  );
}

export function BrushPanel() {
  const rect = place.value.calls.brush;
  if (rect === null) return null;
  const now = brushed.value;
  return (
    <section aria-label="Brushed rectangle" class="brushed" data-testid="brushed" aria-busy={now === null}>
      <h2>
        Brushed rectangle
        <button
          type="button"
          class="link plain"
          title="Clear the rectangle (Esc)"
          onClick={() => goCalls({ brush: null }, "push")}
        >
          clear
        </button>
      </h2>
      <p class="where">
        {rectWords(rect)}
        {now !== null && now.calls !== "0" && (
          <>
            <br />
            {formatCount(now.ranks)} of {formatCount(now.ranks_total)} ranks,{" "}
            {percent((100 * now.ranks) / now.ranks_total)} %
          </>
        )}
      </p>
      {brushProblem.value !== null && <p class="say">{printable(brushProblem.value, 400)}</p>}
      {now !== null && now.calls === "0" && <p class="quiet">No calls in it.</p>}
      {now !== null && now.calls !== "0" && (
        <>
          <Functions now={now} />
          <Slowest now={now} />
          <Leads now={now} rect={rect} />
        </>
      )}
    </section>
  );
}
