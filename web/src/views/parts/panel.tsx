/** The frame of a panel: a section with its name above, and something small beside the name. */
import type { ComponentChildren } from "preact";

export function Panel(props: {
  title: ComponentChildren;
  /** Without it, the title is the name for readers too. */
  label?: string;
  testid?: string;
  class?: string;
  busy?: boolean;
  beside?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const label = props.label ?? (typeof props.title === "string" ? props.title : undefined);
  return (
    <section aria-label={label} class={props.class} data-testid={props.testid} aria-busy={props.busy}>
      <h2>
        {props.title} {props.beside}
      </h2>
      {props.children}
    </section>
  );
}

/** Facts with their names. */
export function Facts(props: { facts: readonly (readonly [label: string, text: ComponentChildren])[] }) {
  return (
    <dl class="kv">
      {props.facts.map(([label, text]) => (
        <div class="fact-row" key={label}>
          <dt>{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A row of a list that a click chooses. */
export function PickRow(props: {
  on: boolean;
  off?: boolean;
  testid: string;
  /** What tests and styles know it by: `data-KEY=VALUE`. */
  data?: Record<`data-${string}`, string | number>;
  class?: string;
  title: string;
  onClick: (event: MouseEvent) => void;
  /** What stands beside the button. */
  beside?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <li class={`row pick ${props.on ? "on" : ""} ${props.off ? "off" : ""}`}>
      <button
        type="button"
        class={`name ${props.class ?? ""}`}
        data-testid={props.testid}
        aria-pressed={props.on}
        title={props.title}
        onClick={props.onClick}
        {...props.data}
      >
        {props.children}
      </button>
      {props.beside}
    </li>
  );
}
