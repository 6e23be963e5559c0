/** The player of messages in motion: play, pause, speed, scrub, step; how messages look, and what links show meanwhile. */
import { useRef } from "preact/hooks";
import { formatCount, formatDuration, formatTime, plural, printable } from "../../../base/format";
import {
  isPlaying,
  moment,
  motionKind,
  motionTold,
  pace,
  pause,
  play,
  SPEEDS,
  setMoment,
  setMotion,
  speed,
  stepMoment,
  timeWindow,
} from "../../../state/state";
import { OptionButtons, OptionSelect } from "../controls";
import { PlayButton } from "./play-button";

/** Parts of the window that an arrow key moves by; with Shift, ten of them. */
const NOTCHES = 200;
const SPEED_WORDS: Record<(typeof SPEEDS)[number], string> = { 0.25: "¼×", 1: "1×", 4: "4×", 16: "16×" };

export function MotionControls() {
  const [from, to] = timeWindow.value;
  const at = moment.value;
  return (
    <>
      <PlayButton icon="first" label="To the beginning" disabled={at <= from} run={() => setMoment(from)} />
      <PlayButton
        class="main"
        icon={isPlaying.value ? "pause" : "play"}
        label={isPlaying.value ? "Pause (Space)" : "Play (Space)"}
        run={() => (isPlaying.value ? pause() : play())}
      />
      <PlayButton icon="next" label="To the next message" disabled={at >= to} run={stepMoment} />
      <PlayButton icon="last" label="To the end" disabled={at >= to} run={() => setMoment(to)} />
      <fieldset class="seg" aria-label="Speed">
        {SPEEDS.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={speed.value === one}
            onClick={() => {
              speed.value = one;
            }}
          >
            {SPEED_WORDS[one]}
          </button>
        ))}
      </fieldset>
    </>
  );
}

/** Where the moment lies in the window; dragged, it goes along. */
function Scrubber() {
  const element = useRef<HTMLDivElement>(null);
  const isHeld = useRef(false);
  const [from, to] = timeWindow.value;
  const share = to > from ? (moment.value - from) / (to - from) : 0;
  const momentAt = (event: PointerEvent) => {
    const box = element.current?.getBoundingClientRect();
    return box === undefined ? from : from + ((event.clientX - box.left) / Math.max(box.width, 1)) * (to - from);
  };
  const bars = motionTold.value?.bars ?? [];
  const most = Math.max(1, ...bars);
  return (
    <div
      ref={element}
      class="scrubber"
      data-testid="scrubber"
      role="slider"
      tabIndex={0}
      aria-label="Moment"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      aria-valuetext={momentText()}
      title="Messages in flight; drag, or arrow keys"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        pause();
        isHeld.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
        setMoment(momentAt(event), false);
      }}
      onPointerMove={(event) => {
        if (isHeld.current) setMoment(momentAt(event), false);
      }}
      onPointerUp={(event) => {
        if (!isHeld.current) return;
        isHeld.current = false;
        setMoment(momentAt(event));
      }}
      onPointerCancel={() => {
        isHeld.current = false;
        setMoment(moment.value);
      }}
      onKeyDown={(event) => {
        const notch = ((to - from) / NOTCHES) * (event.shiftKey ? 10 : 1);
        const by = { ArrowLeft: -notch, ArrowDown: -notch, ArrowRight: notch, ArrowUp: notch }[event.key];
        const next =
          event.key === "Home" ? from : event.key === "End" ? to : by === undefined ? null : moment.value + by;
        if (next === null) return;
        event.preventDefault();
        event.stopPropagation();
        pause();
        setMoment(next);
      }}
    >
      <svg viewBox={`0 0 ${Math.max(bars.length, 1)} 1`} preserveAspectRatio="none" aria-hidden="true">
        <path d={bars.map((count, at) => `M${at} 1h1v${-count / most}h-1z`).join("")} />
      </svg>
      <span class="needle" style={{ left: `${share * 100}%` }} />
    </div>
  );
}

function momentText(): string {
  const [from, to] = timeWindow.value;
  return formatTime(moment.value, Math.max(1, (to - from) / 1000));
}

/** What moves, in words. */
function Told() {
  const told = motionTold.value;
  if (told === null) return <span class="where">…</span>;
  const { note, inFlight, messages, notes } = told;
  const words = messages === 0 ? "no message passes a link in this window" : `${formatCount(inFlight)} in flight`;
  return (
    <span
      class={note === null ? "where" : "where warn"}
      data-testid="motion-told"
      title={[`${formatCount(messages)} ${plural(messages, "message")} in the window`, ...notes].join(". ")}
    >
      {note ?? words}
    </span>
  );
}

/** What the colours of messages mean. */
function Key() {
  const told = motionTold.value;
  if (told === null || told.colours.length === 0 || told.note !== null) return null;
  return (
    <span class="motion-key" data-testid="motion-key" title={printable(told.title)}>
      {printable(told.ends[0])}
      <span style={{ background: `linear-gradient(90deg, ${told.colours.join(", ")})` }} />
      {printable(told.ends[1])}
    </span>
  );
}

export function MotionTrack() {
  return (
    <>
      <span class="moment" data-testid="moment">
        {momentText()}
      </span>
      <Scrubber />
      <span class="where" title="At this speed">
        1 s shows {formatDuration(pace.value)}
      </span>
    </>
  );
}

/** How messages look, what links show meanwhile, and how many messages there are. */
export function MotionLooks() {
  return (
    <div class="looks">
      <fieldset class="seg" aria-label="Messages as">
        {(["dots", "pipes"] as const).map((kind) => (
          <button key={kind} type="button" aria-pressed={motionKind.value === kind} onClick={() => setMotion(kind)}>
            {kind === "dots" ? "Dots" : "Pipes"}
          </button>
        ))}
      </fieldset>
      <OptionSelect
        name="colour-messages"
        label="Messages by"
        class="boxed"
        words={{ wait: "by wait", size: "by size", source: "by source", destination: "by destination" }}
      />
      <Key />
      <OptionButtons
        name="activity"
        label="Links and switches"
        choices={[
          {
            value: "now",
            label: "Now",
            hint: `What links and switches carry now; up to ${motionTold.value?.largest ?? ""}`,
          },
          { value: "sum", label: "Sum", hint: "What they have carried since the window began" },
        ]}
      />
      <Told />
    </div>
  );
}
