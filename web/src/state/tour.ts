/**
 * The tour that the server was started with: saved views, each with some words.
 *
 * A stop is a place like any other, and which stop one is at is part of the place. So a stop is reached through the same
 * door as a link, Back goes to the stop before, and a link to a stop brings its words along. On a server without a tour
 * the number of the stop means nothing, and the view is the same.
 */
import { computed, signal } from "@preact/signals";
import { fetchTour } from "../api/client";
import type { Stop, Tour } from "../api/types";
import { amend, go, place } from "./history";
import { decodePlace, encodePlace, PLAIN_LAYOUT, type Place } from "./place";

export const tour = signal<Tour | null>(null);

/** Which stop the card shows, from 0; null while it is closed. */
export const stopIndex = computed(() => {
  const index = (place.value.stop ?? 0) - 1;
  return tour.value?.stops[index] ? index : null;
});

/** Whether one has moved on from the view of the stop. */
export const hasWandered = computed(() => {
  const stop = tour.value?.stops[stopIndex.value ?? -1];
  if (stop === undefined) return false;
  const there = placeOf(stop, stopIndex.value ?? 0);
  const { time, steps } = place.value;
  // A window that the stop does not say follows the one that it says; nobody moved it.
  const followed = {
    time: there.steps && !there.time ? time : there.time,
    steps: there.time && !there.steps ? steps : there.steps,
  };
  return encodePlace({ ...there, ...followed }) !== encodePlace(place.value);
});

/** Whether something stands out that the stop did not choose: Escape is about that first, and then about the card. */
export const hasOwnEmphasis = computed(() => {
  const stop = tour.value?.stops[stopIndex.value ?? -1];
  const { selected, highlight } = place.value;
  const there = stop && placeOf(stop, 0);
  const isOwn = selected !== null && selected !== there?.selected;
  return isOwn || highlight.some((name) => !there?.highlight.includes(name));
});

/** Where the tour goes on when the card is opened again. */
let left = 0;

function placeOf(stop: Stop, index: number): Place {
  const there = decodePlace(stop.view);
  return { ...there, layout: there.layout || PLAIN_LAYOUT, stop: index + 1 };
}

/** Goes to a stop; there is nothing beyond the ends. */
export function goToStop(index: number): void {
  const stop = tour.value?.stops[index];
  if (stop) go(placeOf(stop, index), "push");
}

/** Goes some stops on or back. */
export function moveStop(by: number): void {
  if (stopIndex.value !== null) goToStop(stopIndex.value + by);
}

export function openTour(): void {
  goToStop(left);
}

/** Closes the card, and leaves the view as it is. */
export function closeTour(): void {
  const last = (tour.value?.stops.length ?? 0) - 1;
  // Whoever has seen the end begins anew.
  left = stopIndex.value === last ? 0 : (stopIndex.value ?? 0);
  go({ stop: null }, "push");
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
