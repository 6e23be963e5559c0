/** Sentences of the server: what they speak of stands out. */
import type { Piece } from "../../../api/types";
import { printable } from "../../../base/format";
import { pieces } from "../../../pane/words";

/** Lengths of time and factors are what one looks for in evidence. */
const FIGURE = /(\d[\d,.]* (?:ns|µs|ms|s|%)(?![\w/])|\d[\d,.]*×)/;

/** Words with their figures set off. */
function Figures(props: { text: string }) {
  const parts = props.text.split(FIGURE);
  // Parts have no names; their order is what tells them apart.
  return <>{parts.map((part, i) => (i % 2 === 1 ? <b key={`${i}`}>{part}</b> : part))}</>;
}

export function Pieces(props: { text: readonly Piece[]; figures?: boolean }) {
  return (
    <>
      {props.text.map(({ text, ...marks }, i) => {
        const shown = printable(text, 400);
        if (Object.keys(marks).length > 0) return <b key={`${i}`}>{shown}</b>;
        return <span key={`${i}`}>{props.figures === true ? <Figures text={shown} /> : shown}</span>;
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
