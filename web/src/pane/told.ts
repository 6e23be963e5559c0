/** What a pane tells the rest of the page about its scene. */
import { formatCount, formatTime, stepsText } from "../base/format";
import type { Scene } from "../scene/types";
import type { PaneStatus } from "../state/state";

/** Calls at the fullest pixel of what stands out most. */
export function densityOf(scene: Scene): { density?: { most: number; alpha: number } } {
  const layer = scene.layers.findLast((one) => one.kind === "density");
  return layer === undefined ? {} : { density: { most: layer.most, alpha: layer.alpha } };
}

/** What the colours of a metric mean, or what each of some colours stands for. */
export function coloursOf({ colourBar, legend, palette }: Scene): Pick<PaneStatus, "bar" | "key"> {
  const css = (id: number) => {
    const [red, green, blue, opacity] = palette[id] ?? [0, 0, 0, 0];
    return `rgb(${red} ${green} ${blue} / ${opacity / 255})`;
  };
  if (colourBar === null) return { key: legend.map(({ colour, name }) => ({ colour: css(colour), name })) };
  const { title, colours, fromText, toText } = colourBar;
  return { bar: { title, colours: colours.map(css), ends: [fromText, toText] } };
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
  return parts.join(", ");
}
