/** A border that is dragged, or moved with arrows when it has the focus. The dock and the sides use the same. */
import type { CSSProperties } from "preact";
import { useRef } from "preact/hooks";

export function Border(props: {
  upright: boolean;
  label: string;
  class?: string;
  style?: CSSProperties;
  now: number;
  min: number;
  max: number;
  onMove: (event: PointerEvent) => void;
  /** One or, with Shift, five steps right or down. */
  onStep: (by: number) => void;
}) {
  const dragging = useRef(false);
  const { upright } = props;
  const [less, more] = upright ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
  return (
    // biome-ignore lint/a11y/useSemanticElements: <hr> cannot be dragged in all browsers, and this one has a value.
    <div
      class={`border ${upright ? "upright" : "level"} ${props.class ?? ""}`}
      style={props.style}
      role="separator"
      tabIndex={0}
      aria-label={props.label}
      aria-orientation={upright ? "vertical" : "horizontal"}
      aria-valuenow={props.now}
      aria-valuemin={props.min}
      aria-valuemax={props.max}
      title="Drag, or use the arrow keys"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        dragging.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
        event.preventDefault();
        event.currentTarget.focus();
      }}
      onPointerMove={(event) => {
        if (dragging.current) props.onMove(event);
      }}
      onPointerUp={() => {
        dragging.current = false;
      }}
      onPointerCancel={() => {
        dragging.current = false;
      }}
      onKeyDown={(event) => {
        if (event.key !== less && event.key !== more) return;
        event.preventDefault();
        props.onStep((event.key === more ? 1 : -1) * (event.shiftKey ? 5 : 1));
      }}
    />
  );
}
