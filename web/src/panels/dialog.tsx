/** A modal dialog on the browser's own, which keeps the focus inside; we give it back to where it was. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { dialog } from "../state/state";

export function Dialog(props: { label: string; testid: string; class?: string; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  // At once, so that what is typed right behind the key that opens it is in it.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const box = element.current;
    box?.showModal();
    return () => {
      box?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const close = () => {
    dialog.value = null;
  };
  return (
    <dialog
      ref={element}
      class={props.class}
      aria-label={props.label}
      data-testid={props.testid}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onPointerDown={(event) => {
        // The dialog fills its box with a child, so a press on itself is on the backdrop.
        if (event.target === event.currentTarget) close();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="sheet">{props.children}</div>
    </dialog>
  );
}
