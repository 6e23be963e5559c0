/** What a scene is asked for. Reading it in an effect follows every change that matters. */
import { ANALYSES, type OptionName } from "../api/options";
import { kindOf } from "../api/selection";
import { isProvided } from "./analyses";
import { hasSteps, isWide } from "./dock";
import { place } from "./history";
import { changed, paramsOf } from "./options";
import { theme } from "./theme";
import { regionIds } from "./trace";
import { needsOf, specOf, type ViewKind } from "./views";
import { acrossOf, windowOf } from "./windows";

export type Frame = "pane" | "strip" | "figure";

/** All but its width and height. */
export function sceneParams(frame: Frame, view: ViewKind): URLSearchParams {
  const { rows, ranks, highlight, hidden, selected } = place.value;
  const { source } = view;
  const params = new URLSearchParams({ frame, theme: theme.value });
  const list = (key: string, ids: number[]) => {
    if (ids.length > 0) params.set(key, ids.join(","));
  };
  if (ranks !== "") params.set("ranks", ranks);
  list("highlight", regionIds(highlight));
  list("hide", regionIds(hidden));
  // The strip is the whole run, and the ground of the brush: neither windows nor the selection change it.
  if (frame === "strip") return params;
  if (frame === "pane" && isWide.value && acrossOf(view) === "time") params.set("frame", "wide");
  if (hasSteps.value) params.set("main", "1");
  for (const [name, value] of optionsOf(frame, view)) params.set(name, value);
  // The page itself draws a brushed rectangle.
  if (selected !== null && kindOf(selected) !== "window") params.set("select", selected);
  if (source.whole) return params;
  addWindow(params, view);
  if (rows) params.set("rows", rows.join(":"));
  return params;
}

/** Time follows steps and is followed by them: each pane asks for the window of its own axis. */
function addWindow(params: URLSearchParams, view: ViewKind): void {
  const across = acrossOf(view);
  const { time, columns } = place.value;
  if (across === "steps") params.set("steps", windowOf("steps").join(":"));
  else if (across === "closer") params.set("time", windowOf("closer").join(":"));
  else if (time) params.set("time", time.join(":"));
  if (across === "columns" && columns) params.set("columns", columns.join(":"));
}

/** The options that a view heeds and that are not as usual. Those of analyses only if it shows something of them now. */
function optionsOf(frame: Frame, view: ViewKind): URLSearchParams {
  const { source } = view;
  const { options, analyses } = specOf(view);
  const needed = isProvided(view) ? needsOf(view) : [];
  const unused = analyses.filter((name) => !needed.includes(name)).flatMap((name) => ANALYSES[name]);
  const isOwn = (name: OptionName) => frame !== "figure" && (source.own?.includes(name) ?? false);
  const heeded = [...options, ...needed.flatMap((name) => ANALYSES[name])];
  const names = [...new Set(heeded)].filter((name) => !unused.includes(name) && !isOwn(name));
  return paramsOf(changed(place.value.options, { ...source.adjust?.(), ...source.fixed }), names);
}
