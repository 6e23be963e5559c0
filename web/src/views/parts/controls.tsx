/**
 * Controls of options: whoever adds an option in Rust puts one of these where it belongs. What an option may be, what is
 * usual and what it means comes from `api/options.ts`; a control adds the words for people.
 */
import type { ComponentChildren } from "preact";
import { OPTIONS, type OptionName, type OptionValues } from "../../api/options";
import { areUsual, option, resetOptions, setOptions, wordsOf } from "../../state/state";

/** Options of some type. */
type Named<T> = { [N in OptionName]: OptionValues[N] extends T ? N : never }[OptionName];
export type SwitchName = Named<boolean>;
export type WordName = { [N in OptionName]: string extends OptionValues[N] ? never : N }[OptionName] & Named<string>;

/** What an option does, and how the command line says it. */
export function helpOf(name: OptionName): string {
  const { help, flag } = OPTIONS[name];
  return `${help} (${flag})`;
}

/** A button that looks like a link. */
export function LinkButton(props: {
  title?: string;
  plain?: boolean;
  disabled?: boolean;
  pressed?: boolean;
  expanded?: boolean;
  onClick: () => void;
  children: ComponentChildren;
}) {
  return (
    <button
      type="button"
      class={`link ${props.plain ? "plain" : ""}`}
      title={props.title}
      disabled={props.disabled}
      aria-pressed={props.pressed}
      aria-expanded={props.expanded}
      onClick={props.onClick}
    >
      {props.children}
    </button>
  );
}

/** Puts options back, and is there only while one of them was changed. */
export function ResetLink(props: { names: readonly OptionName[]; title?: string; plain?: boolean; children: string }) {
  if (areUsual(props.names)) return null;
  return (
    <LinkButton
      {...(props.title !== undefined && { title: props.title })}
      plain={props.plain ?? false}
      onClick={() => resetOptions(props.names)}
    >
      {props.children}
    </LinkButton>
  );
}

/** A checkbox. */
export function Toggle(props: {
  label: string;
  title?: string;
  class?: string;
  on: boolean;
  onChange: (on: boolean) => void;
}) {
  return (
    <label class={`toggle ${props.class ?? ""}`} title={props.title}>
      <input type="checkbox" checked={props.on} onChange={(event) => props.onChange(event.currentTarget.checked)} />
      {props.label}
    </label>
  );
}

export function OptionToggle(props: { name: SwitchName; label?: string; title?: string; class?: string }) {
  const { name } = props;
  return (
    <Toggle
      label={props.label ?? name}
      title={props.title ?? helpOf(name)}
      {...(props.class !== undefined && { class: props.class })}
      on={option(name)}
      onChange={(on) => setOptions({ [name]: on })}
    />
  );
}

/** One of a few. */
export function Select<T extends string>(props: {
  label: string;
  title?: string;
  class?: string;
  value: T;
  choices: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}) {
  return (
    <select
      class={props.class}
      aria-label={props.label}
      title={props.title}
      value={props.value}
      onChange={(event) => {
        const chosen = props.choices.find(({ value }) => value === event.currentTarget.value);
        if (chosen) props.onChange(chosen.value);
      }}
    >
      {props.choices.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** The words of an option as a list to choose from. */
export function OptionSelect<N extends WordName>(props: {
  name: N;
  label: string;
  title?: string;
  class?: string;
  words?: Partial<Record<OptionValues[N], string>>;
}) {
  const { name, words } = props;
  return (
    <Select<string>
      label={props.label}
      title={props.title ?? helpOf(name)}
      {...(props.class !== undefined && { class: props.class })}
      value={option(name)}
      choices={wordsOf(name).map((one) => ({ value: one, label: words?.[one] ?? one }))}
      onChange={(value) => setOptions({ [name]: value })}
    />
  );
}

/** The words of an option side by side. */
export function OptionButtons<N extends WordName>(props: {
  name: N;
  label: string;
  class?: string;
  choices: readonly { value: OptionValues[N]; label: string; hint: string }[];
}) {
  const { name } = props;
  return (
    <fieldset class={`seg ${props.class ?? ""}`} aria-label={props.label}>
      {props.choices.map(({ value, label, hint }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === option(name)}
          title={hint}
          onClick={() => setOptions({ [name]: value })}
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}
