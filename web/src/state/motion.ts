/**
 * The clock of messages in motion: one moment for all panes, within the window of time that all views show.
 *
 * While it runs the moment is here alone; when it rests it is written to the place, so that links and figures show it.
 */
import { computed, effect, signal, untracked } from "@preact/signals";
import { go, place } from "./history";
import { changed, optionOf } from "./options";
import { hasTimes, wholeTime } from "./trace";

/** How long a window takes at speed 1. */
const WINDOW_MS = 20_000;

export const SPEEDS = [0.25, 1, 4, 16] as const;

/** Whether messages move, and how. */
export const motionKind = computed(() => (hasTimes.value ? optionOf(place.value.options, "motion") : "none"));
export const activityShown = computed(() => optionOf(place.value.options, "activity"));
export const messagesBy = computed(() => optionOf(place.value.options, "colour-messages"));

const window_ = computed<[number, number]>(() => place.value.time ?? wholeTime.value);

/** Where a running clock is; null while the place says. */
const running = signal<number | null>(null);
export const isPlaying = signal(false);
export const speed = signal<(typeof SPEEDS)[number]>(1);

/** The moment that is shown, in nanoseconds. */
export const moment = computed<number>(() => {
  const [from, to] = window_.value;
  const said = optionOf(place.value.options, "at");
  const at = running.value ?? (said === "" ? from : Number(said));
  return Math.max(from, Math.min(at, to));
});

/** Nanoseconds of the run that a second shows. */
export const pace = computed(() => ((window_.value[1] - window_.value[0]) / WINDOW_MS) * 1000 * speed.value);

/** What a pane says of what moves in it. */
export interface MotionStatus {
  pane: string;
  inFlight: number;
  /** Said where there are too many messages to be told apart. */
  note: string | null;
  /** What the colours of messages mean, and the ends of their scale. */
  title: string;
  colours: string[];
  ends: readonly [string, string];
  /** The end of the scale of links. */
  largest: string;
  /** Messages of the window. */
  messages: number;
  notes: readonly string[];
  /** How many are in flight in each part of the window. */
  bars: readonly number[];
  /** The next moment at which a message is sent or arrives. */
  nextEvent: () => number;
}

/** What moves, as the first pane says that shows it. */
export const motionTold = signal<MotionStatus | null>(null);

/** Goes to the next moment at which a message is sent or arrives. */
export function stepMoment(): void {
  pause();
  const next = motionTold.value?.nextEvent();
  if (next !== undefined) setMoment(next);
}

/** Goes to a moment. `isOver` once the hand has let go. */
export function setMoment(at: number, isOver = true): void {
  const [from, to] = window_.value;
  running.value = Math.max(from, Math.min(at, to));
  if (isOver) rest();
}

/** Writes the moment to the place. */
function rest(): void {
  const at = String(Math.round(untracked(() => moment.value)));
  if (at !== optionOf(place.value.options, "at")) go({ options: changed(place.value.options, { at }) }, "live");
  running.value = null;
}

export function pause(): void {
  if (!isPlaying.value) return;
  isPlaying.value = false;
}

export function play(): void {
  if (isPlaying.value || motionKind.value === "none") return;
  const [from, to] = window_.value;
  // From the beginning once it has come to the end.
  running.value = moment.value >= to ? from : moment.value;
  isPlaying.value = true;
}

/** Turns motion on or off; it never begins to run by itself. */
export function setMotion(kind: "none" | "dots" | "pipes"): void {
  if (kind === "none") pause();
  go({ options: changed(place.value.options, { motion: kind, ...(kind === "none" ? { at: "" } : {}) }) }, "push");
}

/** Lets the clock run while it is to. */
export function startMotion(): void {
  let [frame, last] = [0, 0];
  const tick = (now: number) => {
    const next = moment.value + ((now - last) / 1000) * pace.value;
    last = now;
    running.value = Math.min(next, window_.value[1]);
    if (next >= window_.value[1]) isPlaying.value = false;
    else frame = requestAnimationFrame(tick);
  };
  effect(() => {
    if (isPlaying.value) {
      last = performance.now();
      frame = requestAnimationFrame(tick);
      return;
    }
    cancelAnimationFrame(frame);
    untracked(() => {
      if (running.value !== null) rest();
    });
  });
  effect(() => {
    if (motionKind.value === "none") isPlaying.value = false;
  });
}
