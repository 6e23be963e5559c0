/** A button that unfolds a short menu: arrows move, Escape and a click elsewhere close, the focus comes back. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface MenuItem {
  title: string;
  detail?: string;
  run: () => void;
}

export function Menu(props: {
  label: string;
  title: string;
  class: string;
  testid?: string;
  items: MenuItem[];
  children: ComponentChildren;
}) {
  const open = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const isOpen = open.value;
  const items = () => [...(box.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
  useEffect(() => {
    if (!isOpen) return undefined;
    items()[0]?.focus();
    const elsewhere = (event: Event) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) open.value = false;
    };
    document.addEventListener("pointerdown", elsewhere, true);
    return () => document.removeEventListener("pointerdown", elsewhere, true);
  }, [isOpen]);
  const close = () => {
    open.value = false;
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open.value) return;
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown") all[(at + 1) % all.length]?.focus();
    else if (event.key === "ArrowUp") all[(at - 1 + all.length) % all.length]?.focus();
    else if (event.key === "Tab") open.value = false;
    else return;
    if (event.key !== "Tab") event.preventDefault();
  };
  return (
    <div class="menu" ref={box}>
      <button
        ref={button}
        type="button"
        class={props.class}
        data-testid={props.testid}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={props.label}
        title={props.title}
        onClick={() => (open.value = !open.value)}
      >
        {props.children}
      </button>
      {isOpen && (
        <div class="menu-list" role="menu" tabIndex={-1} aria-label={props.label} onKeyDown={onKeyDown}>
          {props.items.map((item) => (
            <button
              key={item.title}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close();
                item.run();
              }}
            >
              {item.title}
              {item.detail && <small>{item.detail}</small>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
