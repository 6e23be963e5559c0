/**
 * The player's parts: windows of one length, stages of the run, or sections of a measurement, which has no times, one after
 * the other. Windows are those of all panes.
 */
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { formatCount, formatDuration, printable } from "../../../base/format";
import { timeWords } from "../../../pane/words";
import { drawn, go, hasTimes, place, setOptions, wholeTime } from "../../../state/state";
import { Select, Toggle } from "../controls";
import { runStages, sectionsNow, sectionsOption, told } from "./data";
import { PlayButton } from "./play-button";

/** Windows of the run that one steps through, unless somebody says how many. */
const WINDOWS = 50;
const CHOICES = [10, 20, 50, 100, 200] as const;
/** How long a part stays at least. */
const PACE_MS = 700;

export type PartMode = "windows" | "stages" | "sections";

export const chosenMode = signal<PartMode>("windows");
const count = signal<number>(WINDOWS);
const accumulates = signal(false);
export const isPlaying = signal(false);

/** A part of the run: a stretch of time, or a section by number. */
interface Part {
  name: string;
  time?: [number, number];
  section?: number;
}

export const partMode = computed<PartMode>(() => (hasTimes.value ? chosenMode.value : "sections"));

/** Windows of one length, the last one cut at the end of the run. */
export function windowsOf(end: number, parts: number): [number, number][] {
  const length = Math.max(Math.ceil(end / parts), 1);
  const number = Math.ceil(end / length);
  return Array.from({ length: number }, (_, at) => [at * length, Math.min((at + 1) * length, end)]);
}

export const parts = computed<Part[]>(() => {
  if (partMode.value === "sections")
    return (told.value?.sections ?? []).map(({ name }, section) => ({ name, section }));
  if (partMode.value === "windows")
    return windowsOf(wholeTime.value[1], count.value).map((time) => ({ name: timeWords(time), time }));
  return (runStages.answer.value?.stages ?? []).map(({ name, start_ns, end_ns }) => ({
    name,
    time: [Number(start_ns), Number(end_ns)],
  }));
});

/** The part that is shown; -1 while it is the whole. */
export function partNow(
  all: readonly Part[],
  time: [number, number] | null,
  sections: readonly number[] | null,
): number {
  if (all[0]?.section !== undefined) return sections === null ? -1 : Math.max(...sections, -1);
  if (time === null) return -1;
  // By its end: what accumulates ends where the part does.
  const end = all.findIndex((part) => Math.abs((part.time?.[1] ?? 0) - time[1]) < 1);
  return end >= 0 ? end : all.findIndex((part) => (part.time?.[1] ?? 0) >= time[1]) - 1;
}

const now = computed(() => partNow(parts.value, place.value.time, sectionsNow()));

function show(at: number): void {
  const part = parts.value[at];
  if (part === undefined) return;
  if (part.time !== undefined) go({ time: [accumulates.value ? 0 : part.time[0], part.time[1]] }, "live");
  if (part.section === undefined) return;
  const shown = accumulates.value ? Array.from({ length: at + 1 }, (_, one) => one) : [at];
  setOptions(sectionsOption(shown, accumulates.value ? parts.value.length : Number.POSITIVE_INFINITY), "live");
}

function step(by: number): void {
  isPlaying.value = false;
  show(Math.min(Math.max(now.value + by, 0), parts.value.length - 1));
}

export function togglePlaying(): void {
  const isAtEnd = now.value >= parts.value.length - 1;
  isPlaying.value = !isPlaying.value;
  if (isPlaying.value) show(isAtEnd ? 0 : now.value + 1);
}

/** Goes on once the picture of the last part has been looked at; a slow server is waited for. */
function usePlaying(): void {
  const [isOn, at, pictures] = [isPlaying.value, now.value, drawn.value];
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setTimeout(() => {
      show(at + 1);
      // The last part is shown, and that is the end.
      if (at + 1 >= parts.value.length - 1) isPlaying.value = false;
    }, PACE_MS);
    return () => clearTimeout(timer);
  }, [isOn, at, pictures]);
  useEffect(
    () => () => {
      isPlaying.value = false;
    },
    [],
  );
}

function Track() {
  const all = parts.value;
  const end = Math.max(wholeTime.value[1], 1);
  return (
    <div class="track">
      {all.map((part, at) => {
        const [from, to] = part.time
          ? [part.time[0] / end, part.time[1] / end]
          : [at / all.length, (at + 1) / all.length];
        const isOn = at === now.value || (accumulates.value && at < now.value);
        return (
          <button
            // Parts may share names; their order is what tells them apart.
            key={`part${at}`}
            type="button"
            tabIndex={-1}
            class={isOn ? "on" : ""}
            title={printable(part.name, 80)}
            style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
            onClick={() => {
              isPlaying.value = false;
              show(at);
            }}
          >
            {partMode.value !== "windows" && printable(part.name, 30)}
          </button>
        );
      })}
    </div>
  );
}

/** Play, pause, step, and what is stepped through. */
export function PartControls() {
  usePlaying();
  const all = parts.value;
  const [at, last] = [now.value, all.length - 1];
  return (
    <>
      <PlayButton icon="first" label="To the first part" disabled={at === 0} run={() => step(-all.length)} />
      <PlayButton icon="back" label="One part back" disabled={at <= 0} run={() => step(-1)} />
      <PlayButton
        class="main"
        icon={isPlaying.value ? "pause" : "play"}
        label={isPlaying.value ? "Pause (Space)" : "Play (Space)"}
        run={togglePlaying}
      />
      <PlayButton icon="next" label="One part on" disabled={at >= last} run={() => step(1)} />
      <PlayButton icon="last" label="To the last part" disabled={at >= last} run={() => step(all.length)} />
    </>
  );
}

/** The length of windows, the parts one beside the other, and where one is. */
export function PartTrack() {
  const [at, all] = [now.value, parts.value];
  return (
    <>
      {partMode.value === "windows" && (
        <Select<string>
          class="boxed"
          label="Length of a window"
          value={String(count.value)}
          choices={CHOICES.map((one) => ({
            value: String(one),
            label: `of ${formatDuration(wholeTime.value[1] / one)}`,
          }))}
          onChange={(value) => {
            count.value = Number(value);
          }}
        />
      )}
      <Track />
      <Toggle
        label="Accumulate"
        title="From the beginning to here"
        on={accumulates.value}
        onChange={(on) => {
          accumulates.value = on;
          if (at >= 0) show(at);
        }}
      />
      <span class="where" data-testid="player-at">
        {at < 0 ? "whole run" : `${formatCount(at + 1)} of ${formatCount(all.length)}`}
      </span>
      {at >= 0 && (
        <button
          type="button"
          class="link"
          onClick={() => {
            isPlaying.value = false;
            if (hasTimes.value) go({ time: null }, "push");
            else setOptions({ sections: "" });
          }}
        >
          all
        </button>
      )}
    </>
  );
}
