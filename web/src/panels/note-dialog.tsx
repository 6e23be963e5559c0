/** The form of a note: a name and a sentence, for the view on the page. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { dialog, drafted, keepNote, say, viewNow } from "../state/state";
import { Dialog } from "./dialog";
import { CloseIcon } from "./icons";

/** As long as the server takes them. */
const LONGEST_NAME = 200;
const LONGEST_TEXT = 4000;

export function NoteDialog() {
  const { id, name, text, view } = drafted.value ?? { id: null, name: "", text: "", view: "" };
  const typedName = useSignal(name);
  const typedText = useSignal(text);
  const isMoved = useSignal(false);
  const isBusy = useSignal(false);
  const problem = useSignal<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const close = () => {
    dialog.value = null;
  };
  const keep = async (event: Event) => {
    event.preventDefault();
    if (isBusy.value) return;
    if (typedName.value.trim() === "") {
      problem.value = "A note needs a name.";
      field.current?.focus();
      return;
    }
    isBusy.value = true;
    const kept = { name: typedName.value, text: typedText.value, view: isMoved.value ? viewNow() : view };
    problem.value = await keepNote(id, kept);
    isBusy.value = false;
    // The words stay in the form until they are kept.
    if (problem.value !== null) return;
    close();
    say(id === null ? "Note added." : "Note changed.");
  };
  const title = id === null ? "Add note" : "Edit note";
  return (
    <Dialog label={title} testid="note-dialog" class="note-dialog">
      <header>
        <h2>{title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={close}>
          <CloseIcon />
        </button>
      </header>
      <form
        onSubmit={keep}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void keep(event);
        }}
      >
        <label>
          Name
          <input
            ref={field}
            type="text"
            data-testid="note-name"
            autocomplete="off"
            maxLength={LONGEST_NAME}
            placeholder="such as: rank 37 is late"
            value={typedName.value}
            onInput={(event) => (typedName.value = event.currentTarget.value)}
          />
        </label>
        <label>
          What is to be seen
          <textarea
            data-testid="note-text"
            rows={4}
            maxLength={LONGEST_TEXT}
            placeholder="A sentence or two; names in `backquotes` stand out in a tour."
            value={typedText.value}
            onInput={(event) => (typedText.value = event.currentTarget.value)}
          />
        </label>
        {id === null ? (
          <p class="foot">It keeps the view as it is now: layout, windows, selection and options.</p>
        ) : (
          <label class="check">
            <input
              type="checkbox"
              data-testid="note-moved"
              checked={isMoved.value}
              onChange={(event) => (isMoved.value = event.currentTarget.checked)}
            />
            Keep the view on the page now instead of its own
          </label>
        )}
        {problem.value !== null && (
          <p class="problem" role="alert" data-testid="note-problem">
            {problem.value}
          </p>
        )}
        <div class="answers">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button strong" data-testid="note-save" disabled={isBusy.value}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
