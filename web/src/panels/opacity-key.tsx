/** How strong how many calls are: the key to the opacity of the call view. */
import { opacity } from "../draw/opacity";
import { drawn, place, regionColour, regionIds, showsCalls, trace } from "../state/state";

const STEPS = 40;

/** Powers of ten up to the most, and the most itself; none so near that they touch. */
export function keyTicks(most: number): { at: number; text: string }[] {
  const words = (count: number) =>
    count >= 1e6
      ? `${Number((count / 1e6).toPrecision(2))} M`
      : count >= 1e3
        ? `${Number((count / 1e3).toPrecision(2))} k`
        : String(count);
  const place = (count: number) => (most <= 1 ? 0 : Math.log(count) / Math.log(most));
  const ticks: { at: number; text: string }[] = [];
  for (let count = 1; count < most && place(count) < 0.86; count *= 10)
    ticks.push({ at: place(count), text: words(count) });
  const apart = ticks.length > 5 ? 2 : 1;
  return [...ticks.filter((_, i) => i % apart === 0), { at: 1, text: words(Math.max(most, 1)) }];
}

export function OpacityKey() {
  const pane = [...drawn.value.values()].find(({ view, density }) => view === "calls" && density !== undefined);
  if (!showsCalls.value || !pane?.density || pane.density.most < 1) return null;
  const { most, alpha } = pane.density;
  const how = place.value.calls.opacity;
  const [highlighted] = regionIds(place.value.highlight);
  const region =
    highlighted ?? trace.value?.regions.find((one) => one.communication)?.id ?? trace.value?.regions[0]?.id;
  const colour = (region === undefined ? null : regionColour(region)) ?? "currentColor";
  const stops = Array.from({ length: STEPS + 1 }, (_, i) => {
    const share = opacity(how, Math.max(1, Math.round(most ** (i / STEPS))), most, alpha);
    return `color-mix(in srgb, ${colour} ${(100 * share).toFixed(1)}%, var(--panel))`;
  });
  return (
    <section aria-label="Calls a pixel" data-testid="opacity-key">
      <h2>
        Opacity <span>calls a pixel</span>
      </h2>
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
    </section>
  );
}
