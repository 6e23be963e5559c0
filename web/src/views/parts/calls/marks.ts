/** What the page itself puts onto pictures of calls: the brushed rectangle, the numbers of what stands out, and stages. */
import { formatSelection, GREATEST, type Selection } from "../../../api/selection";
import type { Stage } from "../../../api/types";
import { formatCount, plural } from "../../../base/format";
import { rankOfRow, rowOfRank } from "../../../base/ranks";
import type { Extras } from "../../../draw/overlay";
import type { Range } from "../../../draw/view";
import { valueAt } from "../../../pane/navigate";
import { type Picture, pixelOf } from "../../../pane/pane-view";
import { valueAtY, yOfValue } from "../../../scene/scale";
import type { Rect, SceneScale } from "../../../scene/types";
import { closerWindow, findings, hasCloser, isWide, option, place, rectangle } from "../../../state/state";
import { brushed } from "./data";

/** How far below the upper end of the axis numbers stand. */
const PIN_DROP = 11;

/** What a rectangle of the canvas selects: whole numbers that take in what it touches. */
export function brushSelection(rect: Rect, rows: Range, scale: SceneScale, { layout, window }: Picture): Selection {
  const { plot } = layout;
  const time = (x: number) => valueAt(window, plot.x, plot.width, x);
  const values = rows.map((row) => valueAtY(scale, row));
  return formatSelection({
    kind: "window",
    time: [whole(Math.floor(time(rect.x))), whole(Math.ceil(time(rect.x + rect.width)))],
    values: toValues(Math.min(...values), Math.max(...values)),
  });
}

function whole(value: number): number {
  return Math.max(0, Math.min(value, GREATEST));
}

/** A counter's value to six digits: they may be of any size. */
function fine(value: number): number {
  return Number(whole(value).toPrecision(6));
}

/** Ranks are rows of the filtered list; what is higher than a duration on the axis is only as high as its ends. */
function toValues(low: number, high: number): [number, number] {
  const { ranks } = place.value;
  const y = option("y");
  if (y.startsWith("counter:")) return [fine(low), fine(high)];
  if (y !== "rank") return [whole(Math.floor(low)), whole(Math.ceil(high))];
  return [rankOfRow(ranks, Math.floor(low)), rankOfRow(ranks, Math.max(Math.ceil(high) - 1, Math.floor(low)))];
}

/** Where the brushed rectangle lies on the canvas. */
export function brushMark(picture: Picture): Extras["brush"] {
  const rect = rectangle.value;
  const { scale } = picture.scene.y;
  // An area of the timeline is drawn by the server.
  if (rect === null || rect.ranks !== null || scale === null) return null;
  const { move } = picture.layout;
  const { ranks } = place.value;
  const [low, high] =
    option("y") === "rank" ? [rowOfRank(ranks, rect.values[0]), rowOfRank(ranks, rect.values[1] + 1)] : rect.values;
  const ys = [low, high].map((value) => yOfValue(scale, value) * move.scaleY + move.offsetY);
  const [left, right] = [pixelOf(picture, rect.time[0]), pixelOf(picture, rect.time[1])];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const calls = brushed.answer.value?.calls;
  const text = calls === undefined ? "" : `${formatCount(calls)} ${plural(calls, "call")}`;
  return { rect: { x: left, y: top, width: right - left, height: bottom - top }, text };
}

/** Where stages of the run begin; without names there are only their lines. */
export function stageMarks(picture: Picture, stages: readonly Stage[], named: boolean): Extras["stages"] {
  if (stages.length < 2 || !isWide.value) return [];
  return stages.map((stage) => stageMark(picture, stage, named));
}

export function stageMark(picture: Picture, stage: Stage, named: boolean): Extras["stages"][number] {
  const at = (ns: string) => pixelOf(picture, Number(ns));
  // "MPI_" says nothing in a narrow place.
  const short = (name: string) => name.replace(/^P?MPI_/, "");
  return {
    from: at(stage.start_ns),
    to: at(stage.end_ns),
    text: named ? short(stage.name) : "",
    isWord: !stage.is_caller && stage.region === null,
  };
}

/** The numbers of the sentences, where their time is. */
export function pinMarks(picture: Picture): Extras["pins"] {
  const { scale } = picture.scene.y;
  const { plot, move } = picture.layout;
  const y = (scale === null ? plot.y : scale.top * move.scaleY + move.offsetY) + PIN_DROP;
  const at = (ns: string) => pixelOf(picture, Number(ns));
  const found = findings.answer.value?.findings ?? [];
  return found.flatMap(({ window }, i) =>
    window === null ? [] : [{ from: at(window[0]), to: at(window[1]), y: y + (i % 3) * 20, text: String(i + 1) }],
  );
}

/** Where the closer panes look. */
export function closerMark(picture: Picture): Extras["stretch"] {
  if (!hasCloser.value) return null;
  const [from, to] = closerWindow.value;
  return { from: pixelOf(picture, from), to: pixelOf(picture, to) };
}
