/** The notes of the trace: a click opens one; below, all of them as a tour or as a file. */
import { useSignal } from "@preact/signals";
import { notesUrl } from "../api/client";
import type { Note } from "../api/types";
import { formatCount, printable } from "../base/format";
import { pieces } from "../pane/words";
import {
  dropNote,
  noteLink,
  notes,
  notesProblem,
  openNote,
  place,
  playNotes,
  say,
  shiftNote,
  traceId,
  viewNow,
  writeNote,
} from "../state/state";
import { LinkButton } from "../views/parts/controls";
import { Panel } from "../views/parts/panel";
import { IconButton } from "./icon-button";
import { DownIcon, EditIcon, LinkIcon, TrashIcon, UpIcon } from "./icons";

/** Words without the quotes around names, which stand out in the tour only. */
const plain = (text: string) =>
  pieces(text)
    .map((piece) => piece.text)
    .join("");

async function copyNoteLink(note: Note): Promise<void> {
  try {
    await navigator.clipboard.writeText(noteLink(note));
    say("Link copied. It opens this note, without the token.");
  } catch {
    say("The browser does not allow copying; open the note and take its link from the address bar.");
  }
}

function save(format: "md" | "json"): void {
  const link = document.createElement("a");
  link.href = notesUrl(traceId.value, format);
  link.download = "";
  link.click();
}

function Question(props: { note: Note; onKeep: () => void }) {
  const { note, onKeep } = props;
  return (
    <li class="note asks" data-testid="note">
      <p>Delete “{printable(note.name, 60)}”?</p>
      <div class="answers">
        <button type="button" class="button" data-testid="note-delete-sure" onClick={() => dropNote(note.id)}>
          Delete
        </button>
        <button type="button" class="button" data-testid="note-keep" onClick={onKeep}>
          Keep
        </button>
      </div>
    </li>
  );
}

function Row(props: { note: Note; isFirst: boolean; isLast: boolean }) {
  const { note, isFirst, isLast } = props;
  const asks = useSignal(false);
  const name = printable(note.name, 200);
  if (asks.value) return <Question note={note} onKeep={() => (asks.value = false)} />;
  const isOn = place.value.note === note.id || viewNow() === note.view;
  return (
    <li class={`note ${isOn ? "on" : ""}`} data-testid="note">
      <button
        type="button"
        class="opens"
        data-testid="note-open"
        aria-pressed={isOn}
        title={`Open: ${name}`}
        onClick={() => openNote(note)}
      >
        <b>{name}</b>
        {note.text !== "" && <span class="words">{printable(plain(note.text), 400)}</span>}
      </button>
      <span class="icons">
        <IconButton
          label={`Move up: ${name}`}
          testid="note-up"
          disabled={isFirst}
          onClick={() => shiftNote(note.id, -1)}
        >
          <UpIcon />
        </IconButton>
        <IconButton
          label={`Move down: ${name}`}
          testid="note-down"
          disabled={isLast}
          onClick={() => shiftNote(note.id, 1)}
        >
          <DownIcon />
        </IconButton>
        <IconButton label={`Copy a link: ${name}`} testid="note-link" onClick={() => copyNoteLink(note)}>
          <LinkIcon />
        </IconButton>
        <IconButton label={`Edit: ${name}`} testid="note-edit" onClick={() => writeNote(note)}>
          <EditIcon />
        </IconButton>
        <IconButton label={`Delete: ${name}`} testid="note-delete" onClick={() => (asks.value = true)}>
          <TrashIcon />
        </IconButton>
      </span>
    </li>
  );
}

export function NotesPanel() {
  const told = notes.value;
  const problem = notesProblem.value;
  const all = told?.notes ?? [];
  const add = (
    <button
      type="button"
      class="link plain"
      data-testid="note-add"
      title="Keep this view, with a name and a sentence (B)"
      onClick={() => writeNote()}
    >
      Add note{" "}
      <span class="key" aria-hidden="true">
        B
      </span>
    </button>
  );
  return (
    <Panel title="Notes" testid="notes" class="notes-panel" beside={add}>
      {problem !== null && (
        <p class="problem" role="alert" data-testid="notes-problem">
          {printable(problem, 1000)}
        </p>
      )}
      {told?.is_beside === false && (
        <p class="foot">
          The folder of the trace cannot be written to. New notes are kept in {printable(told.file, 400)} and do not
          move along with the trace.
        </p>
      )}
      {all.length > 0 && (
        <>
          <ol class="note-list">
            {all.map((note, i) => (
              <Row key={note.id} note={note} isFirst={i === 0} isLast={i === all.length - 1} />
            ))}
          </ol>
          <p class="foot">
            <button
              type="button"
              class="link"
              data-testid="notes-play"
              title={`Show ${formatCount(all.length)} in their order, each with its words`}
              onClick={playNotes}
            >
              Play as tour
            </button>
            <LinkButton title="Save all notes as Markdown" onClick={() => save("md")}>
              Markdown
            </LinkButton>
            <LinkButton title="Save all notes as JSON, as their file has them" onClick={() => save("json")}>
              JSON
            </LinkButton>
          </p>
        </>
      )}
    </Panel>
  );
}
