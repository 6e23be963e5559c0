/**
 * Notes: views that people keep, each with a name and some words, in a file beside the trace.
 *
 * A note is a place without its trace, so that it outlives a store, another name of the trace, and this server. It is opened
 * through the same door as a link. Whatever its text says, it leads to this page and nowhere else. Others may write to the
 * same file: every change is answered with all that is in it, and it is listed again when one comes back to the page.
 */
import { batch, effect, signal } from "@preact/signals";
import { ApiError, deleteNote, fetchNotes, isAbort, moveNote, ServerGone, sendNote } from "../api/client";
import type { Note, NotesTold } from "../api/types";
import { go, place, traceId } from "./history";
import { decodePlace, encodePlace, PLAIN_LAYOUT, type Place } from "./place";
import { reconnected } from "./server";
import { dialog } from "./ui";

/** Those of the trace on the page; null until they are known. */
export const notes = signal<NotesTold | null>(null);

/** Why they cannot be read or written, in the server's words. */
export const notesProblem = signal<string | null>(null);

/** What is being written: a new note, or other words for one that is there. */
export const drafted = signal<(Omit<Note, "id"> & { id: string | null }) | null>(null);

/** The view on the page, as a note keeps it. */
export function viewNow(): string {
  return encodePlace({ ...place.value, trace: "", stop: null, note: null });
}

/** The place of a note, in the trace on the page. */
export function placeOfNote(note: Note): Place {
  const there = decodePlace(note.view);
  return { ...there, trace: place.value.trace, layout: there.layout || PLAIN_LAYOUT, stop: null };
}

/** The address of a note: its view, with its words for whoever has the same notes. It never carries the token. */
export function noteLink(note: Note): string {
  const fragment = encodePlace({ ...placeOfNote(note), note: note.id });
  return `${window.location.origin}${window.location.pathname}#${fragment}`;
}

/** Shows the view of a note; while notes are played, with its words. */
export function openNote(note: Note): void {
  go({ ...placeOfNote(note), note: place.value.note === null ? null : note.id }, "push");
}

/** Shows the first note with its words, and the way on. */
export function playNotes(): void {
  const first = notes.value?.notes[0];
  if (first) go({ ...placeOfNote(first), note: first.id }, "push");
}

/** Opens the form: for a new note about the view on the page, or for one that is there. */
export function writeNote(note?: Note): void {
  drafted.value = note ? { ...note } : { id: null, name: "", text: "", view: viewNow() };
  dialog.value = "note";
}

/** Does something to the notes of the trace on the page. Gives what is wrong, or null. */
async function change(work: (trace: string) => Promise<NotesTold>): Promise<string | null> {
  const trace = traceId.value;
  if (trace === "") return null;
  let problem: string | null = null;
  try {
    const told = await work(trace);
    // Somebody may have gone on to another trace meanwhile.
    if (traceId.value !== trace) return null;
    batch(() => {
      notes.value = told;
      notesProblem.value = null;
    });
  } catch (error) {
    if (isAbort(error)) return null;
    if (!(error instanceof ApiError || error instanceof ServerGone)) throw error;
    problem = error.message;
  }
  return problem;
}

export function keepNote(id: string | null, draft: Omit<Note, "id">): Promise<string | null> {
  return change((trace) => sendNote(trace, id, draft));
}

export async function dropNote(id: string): Promise<void> {
  const problem = await change((trace) => deleteNote(trace, id));
  if (problem !== null) notesProblem.value = problem;
}

export async function shiftNote(id: string, by: -1 | 1): Promise<void> {
  const problem = await change((trace) => moveNote(trace, id, by));
  if (problem !== null) notesProblem.value = problem;
}

/** Lists them again. A file that cannot be read is told instead of what was in it before. */
export async function reloadNotes(): Promise<void> {
  const trace = traceId.value;
  const problem = await change(fetchNotes);
  if (traceId.value !== trace || problem === null) return;
  batch(() => {
    notes.value = null;
    notesProblem.value = problem;
  });
}

export function startNotes(): void {
  effect(() => {
    const trace = traceId.value;
    void reconnected.value;
    notes.value = null;
    notesProblem.value = null;
    if (trace !== "") void reloadNotes();
  });
  window.addEventListener("focus", () => void reloadNotes());
}
