/** What the page itself puts onto a picture of calls: the brushed rectangle and the numbers of what stands out. */

import { formatCount } from "../base/format";
import { rankOfRow, rowOfRank } from "../base/ranks";
import type { Extras } from "../draw/overlay";
import type { Range, View } from "../draw/view";
import { valueAtY, yOfValue } from "../scene/scale";
import type { Rect, Scene, SceneScale } from "../scene/types";
import { type BrushRect, brushed, findings, isWide, LONGEST, place } from "../state/state";
import { valueAt } from "./navigate";

/** How far below the upper end of the axis numbers stand. */
const PIN_DROP = 11;

/** A rectangle of the canvas as one of the trace: whole numbers that take in what it touches. */
export function brushRect(rect: Rect, [top, bottom]: Range, scale: SceneScale, plot: Rect, window: Range): BrushRect {
  const time = (x: number) => valueAt(window, plot.x, plot.width, x);
  const values = [valueAtY(scale, top), valueAtY(scale, bottom)];
  return {
    time: [whole(Math.floor(time(rect.x))), whole(Math.ceil(time(rect.x + rect.width)))],
    values: toValues(Math.min(...values), Math.max(...values)),
  };
}

function whole(value: number): number {
  return Math.max(0, Math.min(value, LONGEST));
}

/** A counter's value to six digits: they may be of any size. */
function fine(value: number): number {
  return Number(Math.max(0, Math.min(value, LONGEST)).toPrecision(6));
}

/** Ranks are rows of the filtered list; what is higher than a duration on the axis is only as high as its ends. */
function toValues(low: number, high: number): [number, number] {
  const { calls, ranks } = place.value;
  if (calls.y.startsWith("metric:")) return [fine(low), fine(high)];
  if (calls.y !== "rank") return [whole(Math.floor(low)), whole(Math.ceil(high))];
  return [rankOfRow(ranks, Math.floor(low)), rankOfRow(ranks, Math.max(Math.ceil(high) - 1, Math.floor(low)))];
}

/** Where the brushed rectangle lies on the canvas. */
export function brushOf({ y: { scale } }: Scene, view: View, window: Range): Extras["brush"] {
  const { brush, y } = place.value.calls;
  if (brush === null || scale === null) return null;
  const { plot, move } = view;
  const { ranks } = place.value;
  const [low, high] =
    y === "rank" ? [rowOfRank(ranks, brush.values[0]), rowOfRank(ranks, brush.values[1] + 1)] : brush.values;
  const ys = [low, high].map((value) => yOfValue(scale, value) * move.scaleY + move.offsetY);
  const xs = brush.time.map((moment) => plot.x + ((moment - window[0]) / (window[1] - window[0])) * plot.width);
  const [left = 0, right = 0] = xs;
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const calls = brushed.value?.calls;
  const text = calls === undefined ? "" : `${formatCount(calls)} ${calls === "1" ? "call" : "calls"}`;
  return { rect: { x: left, y: top, width: right - left, height: bottom - top }, text };
}

/** Where stages of the run begin. Only activity names them: the calls below it are on the same axis. */
export function stagesOf(view: View, window: Range, named: boolean): Extras["stages"] {
  const stages = findings.value?.stages ?? [];
  if (stages.length < 2 || !isWide.value) return [];
  const { plot } = view;
  const at = (ns: string) => plot.x + ((Number(ns) - window[0]) / (window[1] - window[0])) * plot.width;
  return stages.map(({ start_ns, end_ns, name }) => ({ from: at(start_ns), to: at(end_ns), text: named ? name : "" }));
}

/** The numbers of the sentences, where their time is. */
export function pinsOf({ y: { scale } }: Scene, view: View, window: Range): Extras["pins"] {
  const { plot, move } = view;
  const y = (scale === null ? plot.y : scale.top * move.scaleY + move.offsetY) + PIN_DROP;
  const at = (ns: string) => plot.x + ((Number(ns) - window[0]) / (window[1] - window[0])) * plot.width;
  const found = findings.value?.findings ?? [];
  return found.flatMap(({ window: time }, i) =>
    time === null ? [] : [{ from: at(time[0]), to: at(time[1]), y: y + (i % 3) * 20, text: String(i + 1) }],
  );
}
