/**
 * Tours: saved views, each with some words. The one that the server was started with, or one's own notes.
 *
 * A stop is a place like any other, and which stop one is at is part of the place: by its number in the server's tour, by its
 * id among notes, which may change their order. So a stop is reached through the same door as a link, Back goes to the stop
 * before, and a link to a stop brings its words along. Where there is no such stop the view is the same.
 */
import { computed, signal } from "@preact/signals";
import { fetchTour } from "../api/client";
import type { Stop, Tour } from "../api/types";
import { amend, go, place } from "./history";
import { notes, placeOfNote } from "./notes";
import { decodePlace, encodePlace, PLAIN_LAYOUT, type Place } from "./place";

export const tour = signal<Tour | null>(null);

const noteList = computed(() => notes.value?.notes ?? []);

/** What the card shows stops of: notes while the place names one of them, else the server's tour. */
export const played = computed<Tour | null>(() => {
  if (place.value.note === null) return tour.value;
  const stops = noteList.value.map(({ name, text, view }) => ({ title: name, text, view }));
  return { title: "Notes", stops };
});

/** Which stop the card shows, from 0; null while it is closed. */
export const stopIndex = computed(() => {
  const { note, stop } = place.value;
  const index = note === null ? (stop ?? 0) - 1 : noteList.value.findIndex(({ id }) => id === note);
  return played.value?.stops[index] ? index : null;
});

/** The place of the stop that the card shows. */
const there = computed(() => (stopIndex.value === null ? undefined : placeAt(stopIndex.value)));

/** Whether one has moved on from the view of the stop. */
export const hasWandered = computed(() => {
  const said = there.value;
  if (said === undefined) return false;
  const { time, steps } = place.value;
  // A window that the stop does not say follows the one that it says; nobody moved it.
  const followed = {
    time: said.steps && !said.time ? time : said.time,
    steps: said.time && !said.steps ? steps : said.steps,
  };
  return encodePlace({ ...said, ...followed }) !== encodePlace(place.value);
});

/** Whether something stands out that the stop did not choose: Escape is about that first, and then about the card. */
export const hasOwnEmphasis = computed(() => {
  const { selected, highlight } = place.value;
  const isOwn = selected !== null && selected !== there.value?.selected;
  return isOwn || highlight.some((name) => !there.value?.highlight.includes(name));
});

/** Where the tour goes on when the card is opened again. */
let left = 0;

function placeOf(stop: Stop, index: number): Place {
  const there = decodePlace(stop.view);
  return { ...there, layout: there.layout || PLAIN_LAYOUT, stop: index + 1 };
}

/** The place of a stop of what is played. */
function placeAt(index: number): Place | undefined {
  if (place.value.note === null) {
    const stop = tour.value?.stops[index];
    return stop && placeOf(stop, index);
  }
  const note = noteList.value[index];
  return note && { ...placeOfNote(note), note: note.id };
}

/** Goes to a stop; there is nothing beyond the ends. */
export function goToStop(index: number): void {
  const next = placeAt(index);
  if (next) go(next, "push");
}

/** Goes some stops on or back. */
export function moveStop(by: number): void {
  if (stopIndex.value !== null) goToStop(stopIndex.value + by);
}

export function openTour(): void {
  const stop = tour.value?.stops[left];
  if (stop) go(placeOf(stop, left), "push");
}

/** Closes the card, and leaves the view as it is. */
export function closeTour(): void {
  const last = (tour.value?.stops.length ?? 0) - 1;
  // Whoever has seen the end begins anew; notes are always played from the first.
  if (place.value.note === null) left = stopIndex.value === last ? 0 : (stopIndex.value ?? 0);
  go({ stop: null, note: null }, "push");
}

export async function loadTour(): Promise<void> {
  tour.value = await fetchTour();
}

/** Begins the tour in an address that says nothing else. False if there is no tour. */
export function beginTour(): boolean {
  const first = tour.value?.stops[0];
  if (first) amend(placeOf(first, 0));
  return first !== undefined;
}
