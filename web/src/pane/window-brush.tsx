/**
 * A brush over a picture of the whole run: the window in it can be moved, stretched and drawn anew, by hand and by keys.
 *
 * It lies over the picture and takes the pointer, since here a drag means the window, not the picture.
 */

import type { TargetedPointerEvent, TargetedWheelEvent } from "preact";
import { useRef } from "preact/hooks";
import { drawn } from "../state/state";
import { dragged, type Grip, gripAt, moved, type Window, zoomed } from "./brush";

export interface BrushProps {
  /** The pane whose plot it lies over. */
  pane: string;
  testid: string;
  window: Window;
  whole: Window;
  /** Whether everything is in sight, so that there is no window to take hold of. */
  everything: boolean;
  /** "Time window"; and the words that its ends begin with. */
  label: string;
  ends: string;
  words: (window: Window) => string;
  momentWords: (moment: number) => string;
  onGo: (window: Window | null, how: "push" | "live") => void;
}

interface Drag {
  grip: Grip;
  window: Window;
  x: number;
  start: number;
  far: boolean;
}

/** A hand that trembles by less than this has clicked. */
const CLICK = 3;

function Handle(props: BrushProps & { which: "from" | "to" }) {
  const { window, whole } = props;
  const own = props.which === "from" ? 0 : 1;
  const onKeyDown = (event: KeyboardEvent) => {
    const by = arrowShare(event);
    if (by === 0) return;
    event.preventDefault();
    const delta = (whole[1] - whole[0]) * by;
    props.onGo(dragged(props.which, window, 0, delta, whole), "live");
  };
  return (
    <div
      class={`handle ${props.which}`}
      role="slider"
      tabIndex={0}
      aria-label={props.which === "from" ? `${props.ends} begins` : `${props.ends} ends`}
      aria-orientation="horizontal"
      aria-valuemin={whole[0]}
      aria-valuemax={whole[1]}
      aria-valuenow={window[own]}
      aria-valuetext={props.momentWords(window[own])}
      onKeyDown={onKeyDown}
    />
  );
}

/** The share of the run, or of the window, that an arrow key moves by; Shift takes ten times as much. */
function arrowShare(event: KeyboardEvent): number {
  const size = event.shiftKey ? 0.05 : 0.005;
  if (event.key === "ArrowLeft" || event.key === "ArrowDown") return -size;
  if (event.key === "ArrowRight" || event.key === "ArrowUp") return size;
  return 0;
}

export function Brush(props: BrushProps) {
  const area = useRef<HTMLDivElement>(null);
  const drag = useRef<Drag | null>(null);
  const { window, whole, everything, onGo } = props;
  const length = whole[1] - whole[0];

  const scaleAt = (event: { clientX: number }) => {
    const box = area.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    const scale = Math.max(box.width, 1) / length;
    const x = event.clientX - box.left;
    return { x, scale, time: whole[0] + x / scale };
  };
  const onPointerDown = (event: TargetedPointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    const { x, scale, time } = scaleAt(event);
    drag.current = { grip: gripAt(x, window, whole, scale), window, x, start: time, far: false };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: TargetedPointerEvent<HTMLDivElement>) => {
    const { x, scale, time } = scaleAt(event);
    const now = drag.current;
    if (!now) {
      const grip = gripAt(x, window, whole, scale);
      event.currentTarget.style.cursor = { from: "ew-resize", to: "ew-resize", move: "grab", draw: "crosshair" }[grip];
      return;
    }
    now.far ||= Math.abs(x - now.x) >= CLICK;
    if (now.far) onGo(dragged(now.grip, now.window, now.start, time, whole), "live");
  };
  const onPointerUp = () => {
    const now = drag.current;
    drag.current = null;
    if (!now || now.far || now.grip !== "draw" || everything) return;
    // A click beside the window brings the window there.
    onGo(moved(window, now.start - (window[0] + window[1]) / 2, whole), "push");
  };
  const onWheel = (event: TargetedWheelEvent<HTMLDivElement>) => {
    const factor = 1.0015 ** Math.min(Math.max(event.deltaY, -300), 300);
    onGo(zoomed(window, scaleAt(event).time, factor, whole), "live");
  };
  const onMoveKey = (event: KeyboardEvent) => {
    const by = arrowShare(event);
    if (by === 0) return;
    event.preventDefault();
    onGo(moved(window, by * 20 * (window[1] - window[0]), whole), "live");
  };
  const left = (100 * (window[0] - whole[0])) / length;
  const width = (100 * (window[1] - window[0])) / length;
  const plot = drawn.value.get(props.pane)?.plot;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the sliders inside do the same with keys.
    <div
      ref={area}
      class={`brush ${everything ? "everything" : ""}`}
      style={plot && { left: `${plot[0]}px`, width: `${plot[2]}px`, top: `${plot[1]}px`, height: `${plot[3]}px` }}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => {
        drag.current = null;
      }}
      onDblClick={() => onGo(null, "push")}
      onWheel={onWheel}
    >
      <div class="dim" style={{ left: 0, width: `${left}%` }} />
      <div class="dim" style={{ left: `${left + width}%`, right: 0 }} />
      <div class="window" data-testid={props.testid} style={{ left: `${left}%`, width: `${width}%` }}>
        <div
          class="middle"
          role="slider"
          tabIndex={0}
          aria-label={props.label}
          aria-orientation="horizontal"
          aria-valuemin={whole[0]}
          aria-valuemax={whole[1]}
          aria-valuenow={Math.round((window[0] + window[1]) / 2)}
          aria-valuetext={props.words(window)}
          onKeyDown={onMoveKey}
        />
        <Handle {...props} which="from" />
        <Handle {...props} which="to" />
      </div>
    </div>
  );
}
