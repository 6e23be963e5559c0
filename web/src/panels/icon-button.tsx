/** A button that shows a sign instead of words; its label is for readers, and what it does stands in its title. */
import type { ComponentChildren } from "preact";

export function IconButton(props: {
  label: string;
  /** Without it, the label. */
  title?: string;
  testid?: string;
  class?: string;
  disabled?: boolean;
  pressed?: boolean;
  onClick: () => void;
  children: ComponentChildren;
}) {
  return (
    <button
      type="button"
      class={props.class ?? "icon-button"}
      data-testid={props.testid}
      aria-label={props.label}
      aria-pressed={props.pressed}
      title={props.title ?? props.label}
      disabled={props.disabled}
      onClick={props.onClick}
    >
      {props.children}
    </button>
  );
}
