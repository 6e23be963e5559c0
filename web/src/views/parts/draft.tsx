/**
 * A text field whose words take effect when they are finished: with Enter, or when one leaves it. What cannot be
 * understood is said below it; Escape puts back what was there.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

export interface DraftProps {
  label: string;
  /** What the field says when nobody has touched it. Back, or a link, changes it behind the field. */
  applied: string;
  /** Takes the text; returns what is wrong with it, or null. */
  apply: (text: string) => string | null;
  /** Names what is wrong, for readers; without it nothing can be. */
  problemId?: string;
  /** Whether leaving the field applies it too. */
  onLeave?: boolean;
  /** A list of suggestions. */
  list?: string;
  title?: string;
  placeholder?: string;
  class?: string;
  fieldClass?: string;
  /** What stands before and after the field in its row. */
  before?: ComponentChildren;
  children?: ComponentChildren;
}

export function DraftField(props: DraftProps) {
  const { applied, problemId } = props;
  const text = useSignal(applied);
  const problem = useSignal<string | null>(null);
  useEffect(() => {
    text.value = applied;
    problem.value = null;
  }, [applied, text, problem]);
  const submit = () => {
    problem.value = text.value === applied ? null : props.apply(text.value);
  };
  return (
    <>
      <div class={`field ${props.fieldClass ?? ""}`}>
        {props.before}
        <input
          type="text"
          class={props.class}
          list={props.list}
          aria-label={props.label}
          aria-invalid={problemId === undefined ? undefined : problem.value !== null}
          aria-describedby={problemId}
          placeholder={props.placeholder}
          title={props.title}
          autocomplete="off"
          spellcheck={false}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            // Mistakes are told on Enter; while mending, the message goes.
            problem.value = null;
          }}
          onBlur={() => props.onLeave !== false && submit()}
          onKeyDown={(event) => {
            if (event.key === "Enter") submit();
            if (event.key === "Escape") text.value = applied;
          }}
        />
        {props.children}
      </div>
      {problemId !== undefined && (
        <p id={problemId} class="problem" role="alert">
          {problem.value}
        </p>
      )}
    </>
  );
}
