/** What lies in the brushed rectangle: by function, the slowest calls, and ways on from there. */
import type { ComponentChildren } from "preact";
import type { OptionValues } from "../../../api/options";
import { GREATEST } from "../../../api/selection";
import type { Brushed } from "../../../api/types";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatShort,
  formatTime,
  plural,
  printable,
} from "../../../base/format";
import { percent, timeWords } from "../../../pane/words";
import {
  clearRectangle,
  go,
  goTo,
  option,
  place,
  type Rectangle,
  rectangle,
  regionColour,
  say,
} from "../../../state/state";
import { LinkButton } from "../controls";
import { Panel } from "../panel";
import { callersShown } from "./callers";
import { brushed, isByCaller } from "./data";

/** Sums of many calls are hours. */
function sumWords(ns: number): string {
  if (ns >= 3.6e12) return `${(ns / 3.6e12).toPrecision(3)} h`;
  if (ns >= 6e11) return `${(ns / 6e10).toPrecision(3)} min`;
  return formatDuration(ns);
}

/** How heights are said; of a counter the page knows no unit. */
function valueWords(y: string): (value: number) => string {
  if (y === "duration") return sumWords;
  if (y === "bytes") return formatBytes;
  return y === "rank" ? formatCount : (value) => value.toLocaleString("en", { maximumSignificantDigits: 4 });
}

/** What a rectangle chooses calls by, across. */
const ACROSS: Record<OptionValues["style"], string> = {
  "points-end": "ends",
  "points-start": "starts",
  lines: "open",
  arches: "open",
};

/** Where the rectangle is: ranks and time; or what the style has across, and the heights if they are not all. */
function rectWords({ time, values: [low, high], ranks }: Rectangle): string {
  if (ranks !== null)
    return `${timeWords(time)} · ranks ${printable(ranks.replaceAll("-", "–").replaceAll(",", ", "), 60)}`;
  const y = option("y");
  const across = `${ACROSS[option("style")]} ${timeWords(time)}`;
  if (high >= GREATEST) return across;
  const words = valueWords(y);
  return `${across} · ${y === "rank" ? "ranks " : ""}${words(low)}–${words(high)}`;
}

/** Which durations many calls were added up for: those of the rectangle, moved a little outwards. */
function summedWords({ least_ns, most_ns }: NonNullable<Brushed["summed"]>): string {
  const [least, most] = [Number(least_ns), Number(most_ns)];
  return most >= GREATEST ? `lasting ${sumWords(least)} or longer` : `lasting ${sumWords(least)}–${sumWords(most)}`;
}

/** Names of the MPI functions say so in their colour; the prefix would only take the room of the numbers. */
function short(name: string): string {
  return printable(name.replace(/^P?MPI_(?=.)/, ""), 40);
}

function Table(props: { testid: string; heads: readonly string[]; children: ComponentChildren }) {
  return (
    <table data-testid={props.testid}>
      <thead>
        <tr>
          {props.heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  );
}

/** From here on a count would push the columns behind it out of the panel. */
const TOO_WIDE = 1e6;

/** A cell with a count of calls. */
function Calls(props: { count: number | string; testid?: string }) {
  const whole = formatCount(props.count);
  const count = Number(props.count);
  return (
    <td title={whole} data-testid={props.testid}>
      {count < TOO_WIDE ? whole : formatShort(count)}
    </td>
  );
}

function Swatch(props: { region: number }) {
  return <span class="sw" style={{ background: regionColour(props.region) ?? "transparent" }} />;
}

/** By function, or by caller where those are the colours of the picture. */
function Functions(props: { now: Brushed }) {
  const { now } = props;
  const callers = new Map(callersShown().map(({ name, colour }) => [name, colour]));
  const colour = (name: string) => callers.get(name) ?? callers.get("other callers") ?? "transparent";
  return (
    <Table testid="brushed-functions" heads={[isByCaller() ? "called from" : "function", "calls", "total", "ranks"]}>
      {now.by_function.slice(0, 12).map((one) => (
        <tr key={one.region}>
          <td title={printable(one.name)}>
            {isByCaller() ? (
              <span class="sw" style={{ background: colour(one.name) }} />
            ) : (
              <Swatch region={one.region} />
            )}{" "}
            {short(one.name)}
          </td>
          <Calls count={one.calls} />
          <td>{sumWords(Number(one.total_ns))}</td>
          <td>{formatCount(one.ranks)}</td>
        </tr>
      ))}
      <tr class="sum">
        <td>all</td>
        <Calls count={now.calls} testid="brushed-calls" />
        <td>{sumWords(Number(now.total_ns))}</td>
        <td title={`of ${formatCount(now.ranks_total)}`}>{formatCount(now.ranks)}</td>
      </tr>
    </Table>
  );
}

/** What lies in an area: the time that functions have of their own there, and with the calls that they make. */
function FunctionsInside(props: { now: Brushed }) {
  const { now } = props;
  return (
    <Table testid="brushed-functions" heads={["function", "calls", "own time", "with calls"]}>
      {now.by_function.slice(0, 12).map((one) => (
        <tr key={one.region} title={`on ${formatCount(one.ranks)} ${plural(one.ranks, "rank")}`}>
          <td title={printable(one.name)}>
            <Swatch region={one.region} /> {short(one.name)}
          </td>
          <Calls count={one.calls} />
          <td>{sumWords(Number(one.own_ns ?? 0))}</td>
          <td>{sumWords(Number(one.total_ns))}</td>
        </tr>
      ))}
      <tr class="sum">
        <td>all</td>
        <Calls count={now.calls} testid="brushed-calls" />
        <td data-testid="brushed-own">{sumWords(Number(now.total_ns))}</td>
        <td />
      </tr>
    </Table>
  );
}

const MESSAGE_WORDS = [
  ["sent", "sent here"],
  ["received", "received here"],
  ["inside", "both"],
] as const;

function Messages(props: { now: Brushed }) {
  const { messages } = props.now;
  if (messages === undefined || (messages.sent.count === "0" && messages.received.count === "0")) return null;
  return (
    <Table testid="brushed-messages" heads={["messages", "count", "bytes"]}>
      {MESSAGE_WORDS.map(([name, words]) => (
        <tr key={name}>
          <td>{words}</td>
          <td>{formatCount(messages[name].count)}</td>
          <td>{formatBytes(Number(messages[name].bytes))}</td>
        </tr>
      ))}
    </Table>
  );
}

function Slowest(props: { now: Brushed }) {
  const { slowest, summed } = props.now;
  const unsearched = summed?.unsearched ?? 0;
  const precision = Math.max(Math.min(...slowest.map((one) => Number(one.duration_ns))) / 100, 1);
  return (
    <Table testid="brushed-slowest" heads={["slowest", "rank", "end", "duration"]}>
      {slowest.map((one) => (
        <tr key={one.select} class={one.select === place.value.selected ? "on" : ""}>
          <td>
            <button
              type="button"
              class="pick"
              data-testid="slow-call"
              title={`Select this ${printable(one.name)} of ${printable(one.who)}`}
              onClick={() => goTo({ select: one.select, start_ns: one.start_ns, end_ns: one.end_ns, row: null })}
            >
              <Swatch region={one.region} /> {short(one.name)}
            </button>
          </td>
          <td title={printable(one.who)}>{formatCount(one.rank)}</td>
          <td>{formatTime(Number(one.end_ns), precision)}</td>
          <td>{formatDuration(Number(one.duration_ns))}</td>
        </tr>
      ))}
      {unsearched > 0 && (
        <tr class="sum">
          <td colSpan={4}>
            and calls about as slow on {formatCount(unsearched)} more {plural(unsearched, "rank")}
          </td>
        </tr>
      )}
    </Table>
  );
}

/** The tables as a file. Names from traces could pose as formulas in a spreadsheet, so they are quoted as text. */
function saveCsv(now: Brushed): void {
  const cell = (text: string) => `"${text.replace(/^(?=[=+\-@\t])/, "'").replaceAll('"', '""')}"`;
  // Only functions of an area have times of their own.
  const isArea = now.messages !== undefined;
  const own = (one: Brushed["by_function"][number]) => (isArea ? [one.own_ns] : []);
  const lines = [
    [
      isByCaller() && !isArea ? "caller" : "function",
      "calls",
      "total_ns",
      ...(isArea ? ["own_ns"] : []),
      "ranks",
    ].join(),
    ...now.by_function.map((one) => [cell(one.name), one.calls, one.total_ns, ...own(one), one.ranks].join(",")),
    "",
    "function,rank,start_ns,end_ns,duration_ns",
    ...now.slowest.map((one) => [cell(one.name), one.rank, one.start_ns, one.end_ns, one.duration_ns].join(",")),
  ];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }));
  link.download = "brushed.csv";
  link.click();
  URL.revokeObjectURL(link.href);
  say("Saved the rectangle as CSV.");
}

function Leads(props: { now: Brushed; rect: Rectangle }) {
  const { now, rect } = props;
  const filter = now.ranks_filter;
  return (
    <p class="leads">
      {rect.select !== place.value.selected && (
        <LinkButton title="Select the rectangle again (Esc)" onClick={() => go({ selected: rect.select }, "push")}>
          Select it
        </LinkButton>
      )}
      <LinkButton onClick={() => go({ time: rect.time }, "push")}>Zoom in</LinkButton>
      <LinkButton
        disabled={filter === undefined}
        title={filter === undefined ? "Too many separate ranks for a filter" : `Ranks ${printable(filter, 60)}`}
        onClick={() => go({ ranks: filter ?? "" }, "push")}
      >
        Only these ranks
      </LinkButton>
      <LinkButton onClick={() => saveCsv(now)}>Export CSV</LinkButton>
    </p>
  );
}

export function BrushPanel() {
  const rect = rectangle.value;
  if (rect === null) return null;
  const now = brushed.answer.value;
  const problem = brushed.problem.value;
  return (
    <Panel
      title={rect.ranks === null ? "Brushed rectangle" : "Selected area"}
      class="brushed"
      testid="brushed"
      busy={now === null}
      beside={
        <LinkButton plain title="Clear the rectangle (Esc)" onClick={clearRectangle}>
          clear
        </LinkButton>
      }
    >
      <p class="where">
        {rectWords(rect)}
        {now !== null && now.calls !== "0" && (
          <>
            <br />
            {formatCount(now.ranks)} of {formatCount(now.ranks_total)} ranks
            {rect.ranks === null && `, ${percent((100 * now.ranks) / now.ranks_total)} %`}
            {now.summed !== undefined && `, ${summedWords(now.summed)}`}
          </>
        )}
      </p>
      {problem !== null && <p class="say">{printable(problem, 400)}</p>}
      {now !== null && now.calls === "0" && <p class="quiet">No calls in it.</p>}
      {now !== null && now.calls !== "0" && (
        <>
          {rect.ranks === null ? <Functions now={now} /> : <FunctionsInside now={now} />}
          <Messages now={now} />
          {now.slowest.length > 0 && <Slowest now={now} />}
          <Leads now={now} rect={rect} />
        </>
      )}
    </Panel>
  );
}
