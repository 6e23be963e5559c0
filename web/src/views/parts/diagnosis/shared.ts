/** What all views of a diagnosis have in common: panels, answers, keys, and what they rest on. */
import { formatCount, formatDuration, formatTime, plural, printable } from "../../../base/format";
import { type Command, diagnosis, diagnosisTold, efficiency, selectionOf, stopIndex } from "../../../state/state";
import type { Finding, Said, View } from "../../view";
import { canDiagnose, isShown, toggleExtra } from "./data";
import { EfficiencyTree, Lost } from "./efficiency";
import { FunctionCosts } from "./functions";
import { CriticalPath, WaitColours } from "./path";
import { showNumber } from "./show";
import { NotAProblem, Noticed, WhatIsWrong } from "./wrong";
import "./diagnosis.css";

/** Findings that have a key. */
const KEYS = 8;

function commands(): Command[] {
  const found = diagnosisTold.answer.value?.findings.slice(0, KEYS) ?? [];
  const findings = found.map(
    ({ number, title }): Command => ({
      title: `Show finding ${number}: ${printable(title, 60)}`,
      group: "Find",
      press: { key: String(number) },
      run: () => showNumber(number),
    }),
  );
  return [
    ...findings,
    {
      title: isShown("path") ? "Hide the critical path" : "Show the critical path",
      group: "Panes",
      press: { key: "p" },
      // A tour has this key for its previous stop.
      ready: () => stopIndex.value === null,
      run: () => toggleExtra("path"),
    },
    {
      title: isShown("magnify") ? "Rows of one height" : "Rows with findings taller",
      group: "Panes",
      run: () => toggleExtra("magnify"),
    },
  ];
}

/** Searches for `finding 2`, or words of its title. */
function finds(query: string): Finding | null {
  const text = query.trim().toLowerCase();
  const number = Number(/^finding\s+(\d{1,2})$/.exec(text)?.[1] ?? Number.NaN);
  const found = diagnosisTold.answer.value?.findings.find(
    (one) => one.number === number || (text.length > 2 && one.title.toLowerCase().includes(text)),
  );
  const select = found === undefined ? null : selectionOf(found);
  if (found === undefined || select === null) return null;
  return { label: `Finding ${found.number}: ${found.title}`, detail: found.cost_text, select };
}

/** What the line at the bottom says: how much was explained, and how far a replay can be trusted. */
function says(): Said[] {
  const now = diagnosisTold.answer.value;
  if (now === null) return [];
  const { waits, replay } = now;
  const count = `${formatCount(waits.count)} ${plural(waits.count, "wait")}`;
  const share = waits.explained >= 1 ? "all of them explained" : `${(waits.explained * 100).toFixed(1)} % explained`;
  const [length, replayed] = [Number(replay.length_ns), Number(replay.replayed_ns)];
  const off = replayed - length;
  const fine = Math.max(length / 1000, 1);
  const exact = Math.abs(off) < fine ? "exact" : `${formatDuration(Math.abs(off))} ${off < 0 ? "short" : "over"}`;
  return [
    {
      text:
        waits.count === 0 ? "no waits" : `${count}, ${share}: ${formatDuration(Number(waits.total_ns))} of rank time`,
    },
    { text: `replay of the unchanged run: ${formatTime(replayed, fine)}, ${exact}` },
  ];
}

export const DIAGNOSIS = {
  isFor: canDiagnose,
  diagnoses: true,
  hasLegend: true,
  loads: [diagnosisTold, efficiency],
  needs: () => [diagnosis.name],
  commands,
  findable: "findings",
  finds,
  says,
  panels: {
    first: [FunctionCosts, EfficiencyTree, Lost, CriticalPath, WaitColours],
    above: [WhatIsWrong, Noticed, NotAProblem],
  },
} satisfies Partial<View>;
