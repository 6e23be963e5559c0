/** Sentences of the server: what they speak of stands out. */
import type { Piece } from "../../../api/types";
import { printable } from "../../../base/format";
import { pieces } from "../../../pane/words";

/** What one looks for in a sentence: the first figure of the evidence, or how much less the run would take. */
const FIGURE = /\d[\d,.]* (?:ns|µs|ms|s|%)(?![\w/])|\d[\d,.]*×/;
const LESS = /\d[\d,.]* (?:ns|µs|ms|s) less/;

/** The words before the figure of a text, the figure, and the words after it. */
export function figureIn(text: string): [before: string, figure: string, after: string] {
  const [found = ""] = LESS.exec(text) ?? FIGURE.exec(text) ?? [];
  const at = found === "" ? text.length : text.indexOf(found);
  return [text.slice(0, at), found, text.slice(at + found.length)];
}

export function Pieces(props: { text: readonly Piece[]; figures?: boolean }) {
  let isOver = props.figures !== true;
  return (
    <>
      {props.text.map(({ text, ...marks }, i) => {
        const shown = printable(text, 400);
        // Pieces have no names; their order is what tells them apart.
        if (Object.keys(marks).length > 0) return <b key={`${i}`}>{shown}</b>;
        const [before, figure, after] = isOver ? [shown, "", ""] : figureIn(shown);
        isOver ||= figure !== "";
        return (
          <span key={`${i}`}>
            {before}
            {figure !== "" && <b class="figure">{figure}</b>}
            {after}
          </span>
        );
      })}
    </>
  );
}

/** Plain text in which names stand in backquotes. */
export function Named(props: { text: string }) {
  return (
    <>
      {pieces(props.text).map(({ text, isName }, i) => {
        const shown = printable(text, 400);
        return isName ? <b key={`${i}`}>{shown}</b> : <span key={`${i}`}>{shown}</span>;
      })}
    </>
  );
}
