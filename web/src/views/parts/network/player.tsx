/**
 * The bar below the pictures of a machine: steps through parts of the run, or lets messages move within the window. Both are
 * about the window of time that all panes show.
 */
import { hasTimes, isPlaying as isMoving, motionKind, pause, play, setMotion } from "../../../state/state";
import { told } from "./data";
import { MotionControls, MotionLooks, MotionTrack } from "./motion-player";
import {
  chosenMode,
  isPlaying,
  PartControls,
  type PartMode,
  PartTrack,
  partMode,
  parts,
  togglePlaying,
} from "./player-parts";

type Mode = PartMode | "motion";

const MODES: readonly { value: Mode; label: string; hint: string }[] = [
  { value: "windows", label: "Windows", hint: "Windows of one length, one after the other" },
  { value: "stages", label: "Stages", hint: "Stages of the run, one after the other" },
  { value: "motion", label: "Motion", hint: "Messages on their way, within the window" },
];

function choose(mode: Mode): void {
  isPlaying.value = false;
  if (mode === "motion") setMotion("dots");
  else {
    if (motionKind.value !== "none") setMotion("none");
    chosenMode.value = mode;
  }
}

function toggle(): void {
  if (motionKind.value === "none") togglePlaying();
  else if (isMoving.value) pause();
  else play();
}

export function Player() {
  const inMotion = motionKind.value !== "none";
  if (!inMotion && (told.value === null || (!hasTimes.value && parts.value.length < 2))) return null;
  const mode: Mode = inMotion ? "motion" : partMode.value;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it are the controls; Space on any of them plays.
    <div
      class={inMotion ? "player moving" : "player"}
      data-testid="player"
      data-playing={inMotion ? isMoving.value : isPlaying.value}
      onKeyDown={(event) => {
        if (event.key !== " " || event.target instanceof HTMLSelectElement || event.target instanceof HTMLInputElement)
          return;
        event.preventDefault();
        event.stopPropagation();
        toggle();
      }}
    >
      {inMotion ? <MotionControls /> : <PartControls />}
      {hasTimes.value && (
        <fieldset class="seg" aria-label="What to play">
          {MODES.map(({ value, label, hint }) => (
            <button key={value} type="button" title={hint} aria-pressed={mode === value} onClick={() => choose(value)}>
              {label}
            </button>
          ))}
        </fieldset>
      )}
      {inMotion ? <MotionTrack /> : <PartTrack />}
      {inMotion && <MotionLooks />}
    </div>
  );
}
