/** A figure of the size that it has on a page: what `heddle render --width` makes, with a look at it and the command to copy. */
import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { fetchFigure } from "../api/client";
import { Dialog } from "../panels/dialog";
import { dialog, place, say } from "../state/state";
import { figureOfPane, saveAs } from "./figure";
import { COLUMN, commandLine, type Format, isZoomedIn, type Paper, paperParams } from "./figure-command";

/** Widths of columns, for those who do not know theirs; see docs/figures.md. */
const WIDTHS = ["88mm", "3.33in", "122mm", "181mm"];
const FORMATS: readonly Format[] = ["pdf", "svg", "png"];
const REST_MS = 250;
/** Pixels of an inch of a browser. */
const SCREEN_DPI = 96;

const COPIED = "Copied the command; put the trace in place of TRACE.";

/** What was chosen last: the next figure of a paper has the same size. */
let last: { paper: Paper; format: Format } = { paper: COLUMN, format: "pdf" };

function Preview(props: { url: string; problem: string }) {
  return (
    <div class="figure-look">
      {props.problem !== "" && (
        <p class="problem" role="alert">
          {props.problem}
        </p>
      )}
      {props.url !== "" && props.problem === "" && <img src={props.url} alt="What the figure looks like" />}
    </div>
  );
}

export function FigureDialog() {
  const asked = useSignal(figureOfPane());
  const paper = useSignal<Paper>(last.paper);
  const format = useSignal<Format>(last.format);
  const [url, problem] = [useSignal(""), useSignal("")];
  const figure = asked.value;
  const command = useComputed(() => {
    if (figure === null) return "";
    const { highlight, hidden } = place.value;
    return commandLine(figure.view, figure.params, { highlight, hidden }, paper.value, format.value);
  });
  const change = (part: Partial<Paper>) => {
    paper.value = { ...paper.value, ...part };
  };
  useEffect(() => {
    if (figure === null) return undefined;
    last = { paper: paper.value, format: format.value };
    const gone = new AbortController();
    const look = async () => {
      const dpi = String(Math.round(SCREEN_DPI * Math.min(window.devicePixelRatio, 2)));
      const params = new URLSearchParams([...figure.params, ...paperParams({ ...paper.value, dpi }, "png")]);
      try {
        const drawn = await fetchFigure(place.value.trace, figure.view, "png", params, gone.signal);
        URL.revokeObjectURL(url.value);
        [url.value, problem.value] = [URL.createObjectURL(drawn), ""];
      } catch (error) {
        if (!gone.signal.aborted) problem.value = error instanceof Error ? error.message : String(error);
      }
    };
    const rest = setTimeout(() => void look(), url.value === "" ? 0 : REST_MS);
    return () => {
      clearTimeout(rest);
      gone.abort();
    };
  }, [paper.value, format.value]);
  useEffect(() => () => URL.revokeObjectURL(url.value), []);
  const save = (event: Event) => {
    event.preventDefault();
    if (figure === null || problem.value !== "") return;
    dialog.value = null;
    saveAs(figure, format.value, paperParams(paper.value, format.value));
  };
  const copy = () =>
    navigator.clipboard.writeText(command.value).then(
      () => say(COPIED),
      () => say("The browser does not let the page copy: select the command and copy it."),
    );
  const field = (label: string, name: "width" | "height" | "fontSize" | "dpi", hint: string, usual: string) => (
    <label title={hint}>
      {label}
      <input
        type="text"
        autocomplete="off"
        spellcheck={false}
        placeholder={usual}
        {...(name === "width" && { list: "column-widths" })}
        value={paper.value[name]}
        onInput={(event) => change({ [name]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <Dialog label="Figure for a paper" testid="figure-dialog" class="figure-dialog">
      {figure === null ? (
        <p class="foot">This pane is made of figures, not of a picture. Choose another one.</p>
      ) : (
        <form onSubmit={save}>
          <h2>{figure.title} as a figure</h2>
          <div class="figure-fields">
            {field("Width", "width", "Width on the page: 88mm, 3.5in, 9cm, 250pt (--width)", "88mm")}
            {field("Height", "height", "Height on the page; empty for what suits the view (--height)", "as suits")}
            {field("Text, points", "fontSize", "Size of all text, 4 to 24 points (--font-size)", "8")}
            {format.value === "png" && field("Pixels per inch", "dpi", "50 to 2400 (--dpi)", "300")}
            <datalist id="column-widths">
              {WIDTHS.map((width) => (
                <option key={width} value={width} />
              ))}
            </datalist>
          </div>
          <div class="figure-fields">
            {(["title", "legend", "notes"] as const).map((name) => (
              <label key={name} class="toggle">
                <input
                  type="checkbox"
                  checked={paper.value[name]}
                  onChange={(event) => change({ [name]: event.currentTarget.checked })}
                />
                {name}
              </label>
            ))}
            <fieldset class="seg" aria-label="Format">
              {FORMATS.map((one) => (
                <button
                  key={one}
                  type="button"
                  aria-pressed={format.value === one}
                  onClick={() => {
                    format.value = one;
                  }}
                >
                  {one.toUpperCase()}
                </button>
              ))}
            </fieldset>
            <button type="submit" class="button" disabled={problem.value !== ""} data-testid="figure-save">
              Save
            </button>
          </div>
          <Preview url={url.value} problem={problem.value} />
          <div class="figure-command">
            <code data-testid="figure-command">{command.value}</code>
            <button type="button" class="button" title="Copy the command" onClick={() => void copy()}>
              Copy
            </button>
          </div>
          {isZoomedIn(figure.params) && (
            <p class="foot">The command draws all rows: zooming along them has no option there. Saving keeps it.</p>
          )}
        </form>
      )}
    </Dialog>
  );
}
