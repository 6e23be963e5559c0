/** How strong how many calls are: the key to the opacity of the call view. */
import { opacity } from "../../../draw/opacity";
import { drawn, option, place, regionColour, regionIds, trace } from "../../../state/state";
import { Panel } from "../panel";

const STEPS = 40;

/** Width of a digit as a share of the key's, and of what must be free between two numbers. */
const DIGIT = 0.034;
const GAP = 0.02;

/** Width of a number as a share of the key's: points and spaces are half as wide as digits. */
export function tickWidth(text: string): number {
  return DIGIT * (text.length - 0.5 * (text.match(/[. ]/g)?.length ?? 0));
}

/** Powers of ten up to the most, and the most itself; none so near that they touch. */
export function keyTicks(most: number): { at: number; text: string }[] {
  const words = (count: number) =>
    count >= 1e6
      ? `${Number((count / 1e6).toPrecision(2))} M`
      : count >= 1e3
        ? `${Number((count / 1e3).toPrecision(2))} k`
        : String(count);
  const place = (count: number) => (most <= 1 ? 0 : Math.log(count) / Math.log(most));
  const last = { at: 1, text: words(Math.max(most, 1)) };
  const ticks: { at: number; text: string }[] = [];
  for (let count = 1; count < most; count *= 10) ticks.push({ at: place(count), text: words(count) });
  const apart = ticks.length > 5 ? 2 : 1;
  // Numbers stand around their places, the first and the last within the key.
  const end = ({ at, text }: { at: number; text: string }) => at + tickWidth(text) * (at === 0 ? 1 : 0.5) + GAP;
  const free = 1 - tickWidth(last.text);
  return [...ticks.filter((tick, i) => i % apart === 0 && end(tick) < free), last];
}

export function OpacityKey() {
  const pane = [...drawn.value.values()].find(({ density }) => density !== undefined);
  if (!pane?.density || pane.density.most < 1) return null;
  const { most, alpha } = pane.density;
  const how = { map: option("opacity"), least: option("omin") };
  const [highlighted] = regionIds(place.value.highlight);
  // Without communication, what takes most time is often idle, in the colour of the ground.
  const region = highlighted ?? trace.value?.regions.find((one) => one.communication)?.id;
  const colour = (region === undefined ? null : regionColour(region)) ?? "currentColor";
  const stops = Array.from({ length: STEPS + 1 }, (_, i) => {
    const share = opacity(how, Math.max(1, Math.round(most ** (i / STEPS))), most, alpha);
    return `color-mix(in srgb, ${colour} ${(100 * share).toFixed(1)}%, var(--panel))`;
  });
  return (
    <Panel title="Opacity" label="Calls per pixel" testid="opacity-key" beside={<span>calls per pixel</span>}>
      <div class="key-bar" style={{ background: `linear-gradient(90deg, ${stops.join(", ")})` }} />
      <div class="key-ticks">
        {keyTicks(most).map(({ at, text }) => (
          <span
            key={text}
            class={`tick ${at === 0 ? "first" : at === 1 ? "last" : ""}`}
            style={{ left: `${100 * at}%` }}
          >
            {text}
          </span>
        ))}
      </div>
    </Panel>
  );
}
