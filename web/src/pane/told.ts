/** What a pane tells the rest of the page about its scene. */
import { formatCount, formatTime, stepsText } from "../base/format";
import type { Scene } from "../scene/types";
import type { PaneStatus } from "../state/state";

/** Calls at the fullest pixel of what stands out most. */
export function densityOf(scene: Scene): { density?: { most: number; alpha: number } } {
  const layer = scene.layers.findLast((one) => one.kind === "density");
  return layer === undefined ? {} : { density: { most: layer.most, alpha: layer.alpha } };
}

/** What the colours of a metric mean. */
export function barOf({ colourBar, palette }: Scene): Pick<PaneStatus, "bar"> {
  if (colourBar === null) return {};
  const { title, colours, fromText, toText } = colourBar;
  return { bar: { title, colours: colours.map((id) => css(palette, id)), ends: [fromText, toText] } };
}

/** What a scene says of its colours, one by one. */
export function legendOf({ legend, palette }: Scene): Pick<PaneStatus, "legend"> {
  return { legend: legend.map(({ name, value, colour }) => ({ name, value, colour: css(palette, colour) })) };
}

function css(palette: Scene["palette"], id: number): string {
  const [red, green, blue, opacity] = palette[id] ?? [0, 0, 0, 0];
  return `rgb(${red} ${green} ${blue} / ${opacity / 255})`;
}

/** What a pane shows, for those who do not see it. */
export function describe(view: string, { x, y }: Scene): string {
  const parts = [view];
  if (x.kind === "time") {
    const precision = Math.max(1, (x.to - x.from) / 1000);
    parts.push(`${formatTime(x.from, precision)} to ${formatTime(x.to, precision)}`);
  }
  if (x.kind === "columns") parts.push(`${formatCount(x.to - x.from)} columns from column ${formatCount(x.from)}`);
  if (x.kind === "steps") parts.push(`steps ${stepsText([x.from, x.to])}`);
  if (y.kind === "rows") parts.push(`${formatCount(y.to - y.from)} rows from row ${formatCount(y.from)}`);
  if (y.kind === "lines") {
    const sight = y.to - y.from < y.count ? `lines ${formatCount(y.from + 1)} to ${formatCount(y.to)} of ` : "";
    parts.push(`${sight}${formatCount(y.count)} lines`);
  }
  return parts.join(", ");
}
