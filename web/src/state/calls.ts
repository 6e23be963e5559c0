/** The call view's share of the state: changes of its place, the window of closer panes, and what its requests say. */
import { computed } from "@preact/signals";
import type { CallsPlace } from "./calls-place";
import { findings } from "./findings";
import { details } from "./follow";
import { go, place } from "./history";
import { fitAround } from "./reveal";
import { regionIds, wholeTime } from "./trace";

/** Changes how calls are shown. */
export function goCalls(change: Partial<CallsPlace>, how: "push" | "live"): void {
  const { calls } = place.value;
  // A rectangle of durations is none of bytes.
  const other = change.y !== undefined && change.y !== calls.y ? { brush: null } : {};
  go({ calls: { ...calls, ...other, ...change } }, how);
}

/** Whether the layout has a pane of calls: then panes on their axis of time leave room for what stands beside them. */
export const isWide = computed(() => place.value.layout.includes("calls"));

/** What stands out is shown closer by itself if it takes no more of the window; else it would hardly be closer. */
const CLOSER = 0.5;

/**
 * What closer panes show: the window that somebody chose, else the brushed rectangle, the selected call, or what stands
 * out most; without any of them, a piece from the middle. Always a part of the window that all panes show.
 */
export const closerWindow = computed<[number, number]>(() => {
  const whole = place.value.time ?? wholeTime.value;
  const { closer, brush } = place.value.calls;
  const length = whole[1] - whole[0];
  const fits = ([from, to]: [number, number]) => to - from < length && from < whole[1] && to > whole[0];
  const selected = details.value;
  const found = (findings.value?.findings ?? [])
    .flatMap(({ window }) => (window ? [fitAround(Number(window[0]), Number(window[1]))] : []))
    .find(([from, to]) => to - from <= length * CLOSER);
  const choices: ([number, number] | null)[] = [
    closer,
    brush && fitAround(brush.time[0], brush.time[1]),
    selected && fitAround(Number(selected.start_ns), Number(selected.end_ns)),
    found ?? null,
  ];
  const chosen = choices.find((one) => one !== null && fits(one));
  if (chosen) return [Math.round(chosen[0]), Math.round(Math.max(chosen[1], chosen[0] + 10))];
  const from = Math.round(whole[0] + (length * 7) / 16);
  return [from, Math.max(Math.round(from + length / 8), from + 10)];
});

/** What every question about calls is asked with. */
export function addCallsParams(params: URLSearchParams, frame: "pane" | "figure"): void {
  const { style, y, scale, opacity, durations, bytes, communicator } = place.value.calls;
  params.set("style", style);
  params.set("y", y);
  params.set("scale", scale);
  if (durations) params.set("durations", durations.join(":"));
  if (bytes) params.set("bytes", bytes.join(":"));
  if (communicator !== null) params.set("communicator", String(communicator));
  // Opacity is the page's own affair, and changes without a request; a figure is drawn by the server.
  if (frame === "pane") return;
  params.set("opacity", opacity.map);
  params.set("omin", String(opacity.least));
}

/** The filters of a rectangle, without a picture: size and theme are there because every request has them. */
export function sightParams(): URLSearchParams {
  const { ranks, hidden } = place.value;
  const params = new URLSearchParams({ width: "16", height: "16" });
  if (ranks !== "") params.set("ranks", ranks);
  const ids = regionIds(hidden);
  if (ids.length > 0) params.set("hide", ids.join(","));
  addCallsParams(params, "pane");
  return params;
}
