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
