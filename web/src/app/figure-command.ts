/** The command line that draws what a pane shows: what one copies into a script beside a paper. */
import { OPTIONS, type OptionName } from "../api/options";

/** What a figure on a page has, as it is typed; empty texts are as usual. */
export interface Paper {
  width: string;
  height: string;
  fontSize: string;
  dpi: string;
  title: boolean;
  legend: boolean;
  notes: boolean;
}

export type Format = "png" | "svg" | "pdf";

/** As somebody wants it who puts it into a column of a paper. */
export const COLUMN: Paper = {
  width: "88mm",
  height: "",
  fontSize: "8",
  dpi: "",
  title: false,
  legend: true,
  notes: false,
};

/** What the server is asked for: the options of figures, by their names. Only a PNG has pixels. */
export function paperParams(paper: Paper, format: Format): URLSearchParams {
  const params = new URLSearchParams();
  const add = (name: string, value: string) => {
    if (value.trim() !== "") params.set(`paper-${name}`, value.trim());
  };
  add("width", paper.width);
  add("height", paper.height);
  add("font-size", paper.fontSize);
  if (format === "png") add("dpi", paper.dpi);
  for (const name of ["title", "legend", "notes"] as const) if (!paper[name]) params.set(`paper-${name}`, "0");
  return params;
}

/** Values that are times: people write them with units. Those of a metric are times unless it is a counter. */
function isTime(name: string, params: URLSearchParams): boolean {
  if (name === "range" || name === "sums") return !(params.get("metric") ?? "").startsWith("counter:");
  return name === "durations" || name === "at";
}

/** Ends in nanoseconds; an open one stays open. */
function withUnits(text: string): string {
  return text
    .split(":")
    .map((end) => (end === "" ? "" : `${end}ns`))
    .join(":");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** What `heddle render` calls the options of a scene; what one zooms along rows has no option there. */
function optionWords(params: URLSearchParams): string[] {
  return [...params].flatMap(([name, value]) => {
    const spec = Object.hasOwn(OPTIONS, name) ? OPTIONS[name as OptionName] : undefined;
    if (spec === undefined) return [];
    if (spec.kind === "switch") return [spec.flag];
    return [spec.flag, isTime(name, params) ? withUnits(value) : value];
  });
}

/** The command for a picture: `params` are those of its scene, `names` say functions as people do. */
export function commandLine(
  view: string,
  params: URLSearchParams,
  names: { highlight: readonly string[]; hidden: readonly string[] },
  paper: Paper,
  format: Format,
): string {
  const words = ["heddle", "render", view, "TRACE", "-o", `${view}.${format}`];
  const add = (flag: string, value: string | null) => {
    if (value !== null && value !== "") words.push(flag, value);
  };
  for (const [name, value] of paperParams(paper, format)) {
    const flag = name.replace("paper-", "");
    if (value === "0") words.push(`--no-${flag}`);
    else words.push(`--${flag}`, value);
  }
  const [time, steps] = [params.get("time"), params.get("steps")?.split(":").map(Number)];
  add(
    "--time",
    time &&
      withUnits(
        time
          .split(":")
          .map((end) => Math.round(Number(end)))
          .join(":"),
      ),
  );
  if (steps !== undefined) add("--steps", `${Math.floor(steps[0] ?? 0)}:${Math.ceil(steps[1] ?? 0)}`);
  add("--ranks", params.get("ranks"));
  if (params.get("theme") === "dark") add("--theme", "dark");
  add("--highlight", names.highlight.join(","));
  add("--hide", names.hidden.join(","));
  add("--select", params.get("select"));
  return [...words, ...optionWords(params)].map(quoted).join(" ");
}

/** Windows that a figure of the command line cannot have. */
export function isZoomedIn(params: URLSearchParams): boolean {
  return ["rows", "columns", "across", "down"].some((name) => params.has(name));
}
