/**
 * The legend of all pictures of a machine: which colour is which load, how many links have it, and two handles. Below the lower
 * one links are not drawn, above the upper one they look like it. In a tree colours are those of switches, by their utilisation.
 */
import { useRef } from "preact/hooks";
import type { NetworkTold } from "../../../api/types";
import { formatCount } from "../../../base/format";
import { option, setOptions } from "../../../state/state";
import { ResetLink } from "../controls";
import { Panel } from "../panel";
import { AxesWidget } from "./axes";
import { loadBar, loadWords, machineKind, told } from "./data";

/** Parts of the range that an arrow key moves a handle by; with Shift, ten of them. */
const NOTCHES = 100;
/** The handles stay apart by this part of the range. */
const APART = 0.002;

export type Ends = readonly [number, number];

/** A handle moved to a part of the full range; null where nothing is left out or clamped any more. */
export function moved(ends: Ends, full: Ends, which: 0 | 1, share: number): [number, number] | null {
  const [least, most] = full;
  const length = most - least;
  const at = least + Math.min(Math.max(share, 0), 1) * length;
  const short = Number(at.toPrecision(4));
  const value = share <= 0 ? least : share >= 1 ? most : short;
  const gap = length * APART;
  const next: [number, number] =
    which === 0 ? [Math.min(value, ends[1] - gap), ends[1]] : [ends[0], Math.max(value, ends[0] + gap)];
  return next[0] <= least && next[1] >= most ? null : next;
}

/** What colours stand for. */
interface Scale {
  title: string;
  what: "link" | "switch";
  full: Ends;
  histogram: readonly number[];
  idle: readonly [idle: number, all: number];
  words: (value: number) => string;
}

function scaleOf({ switches, full, histogram, idle, is_bytes, unit }: NetworkTold): Scale {
  if (switches !== null) {
    const words = (value: number) => `${Number(value.toPrecision(3))} %`;
    return { title: `Utilisation, % ${switches.of}`, what: "switch", ...switches, words };
  }
  return { title: `${is_bytes ? "Bytes" : unit} per link`, what: "link", full, histogram, idle, words: loadWords };
}

function Handle(props: { which: 0 | 1; share: number; words: string; onGo: (share: number) => void }) {
  const { which, share, words, onGo } = props;
  const label = which === 0 ? "Least load that is drawn" : "Load with the last colour";
  return (
    <div
      class={`load-handle ${which === 0 ? "low" : "high"}`}
      data-handle={which}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      aria-valuetext={words}
      title={`${label}: ${words}. Drag, or arrow keys; double-click puts both back.`}
      style={{ left: `${share * 100}%` }}
      onKeyDown={(event) => {
        const step = (event.shiftKey ? 10 : 1) / NOTCHES;
        const by = { ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step }[event.key];
        const to = event.key === "Home" ? 0 : event.key === "End" ? 1 : by === undefined ? null : share + by;
        if (to === null) return;
        event.preventDefault();
        event.stopPropagation();
        onGo(to);
      }}
    />
  );
}

function Bar(props: { scale: Scale }) {
  const element = useRef<HTMLDivElement>(null);
  const dragged = useRef<0 | 1 | null>(null);
  const bar = loadBar();
  const { full, histogram, words, what } = props.scale;
  const ends: Ends = option("loads") ?? full;
  // Ends that came from another run may lie outside the loads of this one.
  const whole: Ends = [Math.min(full[0], ends[0]), Math.max(full[1], ends[1])];
  const isRange = whole[1] > whole[0];
  const shareOf = (value: number) => (isRange ? (value - whole[0]) / (whole[1] - whole[0]) : 0);
  const [low, high] = [shareOf(ends[0]), isRange ? shareOf(ends[1]) : 1];
  const [least, last] = [shareOf(full[0]), isRange ? shareOf(full[1]) : 1];
  const set = (which: 0 | 1, share: number) => setOptions({ loads: moved(ends, whole, which, share) }, "live");
  const shareAt = (event: PointerEvent) => {
    const box = element.current?.getBoundingClientRect();
    return box === undefined ? 0 : (event.clientX - box.left) / Math.max(box.width, 1);
  };
  const most = Math.max(...histogram, 1);
  const percent = (share: number) => `${share * 100}%`;
  const colours = bar?.colours ?? [];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handles in it are the controls; this is their track.
    <div
      class="load-bar"
      data-testid="load-bar"
      ref={element}
      onDblClick={() => setOptions({ loads: null })}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        const share = shareAt(event);
        const nearest = Math.abs(share - low) < Math.abs(share - high) || (low === high && share < low) ? 0 : 1;
        dragged.current = nearest;
        event.currentTarget.setPointerCapture(event.pointerId);
        event.currentTarget.querySelector<HTMLElement>(`[data-handle="${nearest}"]`)?.focus();
      }}
      onPointerMove={(event) => {
        if (dragged.current !== null) set(dragged.current, shareAt(event));
      }}
      onPointerUp={() => {
        dragged.current = null;
      }}
      onPointerCancel={() => {
        dragged.current = null;
      }}
    >
      <div
        class="histogram"
        aria-hidden="true"
        style={{ marginLeft: percent(least), width: percent(Math.max(last - least, 0.02)) }}
      >
        {histogram.map((count, at) => {
          const from = full[0] + (at / histogram.length) * (full[1] - full[0]);
          const isOut = least + ((at + 1) / histogram.length) * (last - least) <= low;
          return (
            <span
              // Bars have no names but their places.
              key={`bar${at}`}
              class={isOut ? "out" : ""}
              title={`${formatCount(count)} ${count === 1 ? what : MANY[what]} from ${words(from)}`}
              style={{ height: count === 0 ? "0" : `max(2px, ${percent(Math.sqrt(count / most))})` }}
            />
          );
        })}
      </div>
      <div class="colours">
        <span
          class="ramp"
          style={{
            left: percent(low),
            width: percent(Math.max(high - low, 0.004)),
            background: `linear-gradient(90deg, ${colours.join(", ")})`,
          }}
        />
        <span class="above" style={{ left: percent(high), background: colours.at(-1) ?? "none" }} />
      </div>
      <Handle which={0} share={low} words={words(ends[0])} onGo={(share) => set(0, share)} />
      <Handle which={1} share={high} words={words(ends[1])} onGo={(share) => set(1, share)} />
    </div>
  );
}

const MANY = { link: "links", switch: "switches" } as const;

export function LoadLegend() {
  const now = told.value;
  if (now === null) return null;
  const scale = scaleOf(now);
  const [idle, all] = scale.idle;
  const ends = option("loads") ?? scale.full;
  return (
    <Panel
      title={scale.title}
      label="Loads"
      testid="load-legend"
      beside={
        <ResetLink names={["loads"]} plain title="Colours from the least load to the largest">
          reset
        </ResetLink>
      }
    >
      <Bar scale={scale} />
      <p class="ends" data-testid="load-ends">
        <span title="Below it, nothing is drawn">{scale.words(ends[0])}</span>
        <span title="Above it, all looks like it">{scale.words(ends[1])}</span>
      </p>
      <p class="foot">
        {idle > 0
          ? `${formatCount(idle)} of ${formatCount(all)} ${MANY[scale.what]} idle`
          : `${formatCount(all)} ${MANY[scale.what]}`}
      </p>
      {machineKind.value === "torus" && <AxesWidget />}
    </Panel>
  );
}
