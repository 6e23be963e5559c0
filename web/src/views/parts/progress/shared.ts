/** What all views of the progression have in common: panels, answers, keys, and what they rest on. */
import { formatCount, formatDuration, plural } from "../../../base/format";
import type { Command } from "../../../state/state";
import type { Finding, Said, View } from "../../view";
import { keptOptions, lines, shownInstant, stepBandwidth, stepInstant, told } from "./data";
import { GroupsPanel } from "./groups";
import { MetricPanel } from "./metric";
import { InWords, SelectedNodes, TheRun } from "./said";
import { StepsPanel } from "./steps";
import { TaskTypesPanel } from "./task-types";
import "./progress.css";

function commands(): Command[] {
  return [
    { title: "Larger bandwidth: fewer groups", group: "Panes", press: { key: "]" }, run: () => stepBandwidth(1) },
    { title: "Smaller bandwidth: more groups", group: "Panes", press: { key: "[" }, run: () => stepBandwidth(-1) },
    { title: "Next time step", group: "Move", press: { key: "." }, run: () => stepInstant(1) },
    { title: "Previous time step", group: "Move", press: { key: "," }, run: () => stepInstant(-1) },
  ];
}

/** Searches for `group 2`, counted from the slowest as in the panel, and for `node 5`. */
function finds(query: string): Finding | null {
  const [, what, digits] = /^(group|node)\s+(\d{1,9})$/i.exec(query.trim()) ?? [];
  const [now, shown] = [told.value, shownInstant()];
  if (what === undefined || now === null || shown === null) return null;
  if (what.toLowerCase() === "node")
    return { label: `Node ${digits}`, detail: "its progress", select: `ranks:${digits}` };
  const group = shown.instant.groups[Number(digits) - 1];
  return group
    ? { label: `Group ${digits}`, detail: `step ${shown.number}: ${group.nodes}`, select: group.select }
    : null;
}

/** What the line at the bottom says: how much was looked at, when it begins, and what one should know of it. */
function says(): Said[] {
  const now = told.value;
  if (now === null) return [];
  const { nodes, times, span, notes } = now;
  const amount = `${formatCount(nodes)} ${plural(nodes, "node")} × ${formatCount(times.length)} instants`;
  const began = span[0] === 0 ? "0 s = start of the first task" : `first work at ${formatDuration(span[0])}`;
  return [{ text: amount }, { text: began }, ...notes.map((text) => ({ text, isWarning: true }))];
}

export const PROGRESS = {
  loads: [lines],
  keeps: keptOptions,
  selectsRanks: true,
  tells: ["ranks"],
  commands,
  findable: "groups",
  finds,
  says,
  panels: {
    first: [GroupsPanel, TaskTypesPanel, MetricPanel, StepsPanel],
    above: [InWords, SelectedNodes, TheRun],
  },
} satisfies Partial<View>;
