/** What is loaded because calls are on the page: what stands out in the window, and what lies in the brushed rectangle. */
import { computed, effect } from "@preact/signals";
import { ApiError, fetchBrushed, fetchFindings } from "../api/client";
import { sightParams } from "./calls";
import { showsCalls } from "./drawn";
import { brushed, brushProblem, findings } from "./findings";
import { place } from "./history";
import { reconnected } from "./session";
import { trace, wholeTime } from "./trace";

export { brushed, brushProblem, findings };

/** Sentences are read, not watched: they wait until the window rests. */
const QUIET_MS = 300;

const traceId = computed(() => (trace.value?.id === place.value.trace ? place.value.trace : ""));
const window = computed(() => (place.value.time ?? wholeTime.value).join(":"));
const rect = computed(() => {
  const { brush } = place.value.calls;
  return brush === null ? "" : [...brush.time, ...brush.values].join(":");
});
const sight = computed(() => sightParams().toString());
const ranks = computed(() => place.value.ranks);

export function startCalls(): void {
  effect(followFindings);
  effect(followBrush);
}

function followFindings(): undefined | (() => void) {
  const [id, time, filter] = [traceId.value, window.value, ranks.value];
  void reconnected.value;
  if (id === "" || !showsCalls.value) {
    findings.value = null;
    return undefined;
  }
  const stop = new AbortController();
  const [from = 0, to = 1] = time.split(":").map(Number);
  const timer = setTimeout(async () => {
    try {
      findings.value = await fetchFindings(id, [from, to], filter, stop.signal);
    } catch (error) {
      // With the server away, the last sentences stay like everything else on the page.
      if (error instanceof ApiError) findings.value = null;
    }
  }, QUIET_MS);
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}

function followBrush(): undefined | (() => void) {
  const [id, numbers, params] = [traceId.value, rect.value, sight.value];
  void reconnected.value;
  brushProblem.value = null;
  if (id === "" || numbers === "") {
    brushed.value = null;
    return undefined;
  }
  const [from = 0, to = 0, low = 0, high = 0] = numbers.split(":").map(Number);
  const stop = new AbortController();
  fetchBrushed(id, new URLSearchParams(params), { time: [from, to], values: [low, high] }, stop.signal)
    .then((answer) => {
      brushed.value = answer;
    })
    .catch((error: unknown) => {
      if (stop.signal.aborted) return;
      brushed.value = null;
      if (error instanceof ApiError) brushProblem.value = error.message;
    });
  return () => stop.abort();
}
