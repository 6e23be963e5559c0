/**
 * What is loaded because the place changed: details of the selected span, and the shares of the window's time.
 *
 * Each loader is an effect: a change aborts the request of the older place, so answers never arrive out of order.
 */
import { computed, effect, signal } from "@preact/signals";
import { ApiError, fetchDetails, fetchProfile } from "../api/client";
import type { Details, Profile } from "../api/types";
import { place } from "./history";
import { areStepsKnown, hasSteps, optionsText } from "./logical";
import { reconnected } from "./session";
import { theme } from "./theme";
import { trace, wholeTime } from "./trace";

/** Wheeling changes the window many times a second; the shares need not follow each. */
const PROFILE_QUIET_MS = 150;

export const details = signal<Details | null>(null);
/** Why the selected span cannot be shown, in words. */
export const detailsProblem = signal<string | null>(null);
export const profile = signal<Profile | null>(null);

// Separate signals, so that a change of the window does not load the details again.
const traceId = computed(() => (trace.value?.id === place.value.trace ? place.value.trace : ""));
const selected = computed(() => place.value.selected);
const ranks = computed(() => place.value.ranks);
const from = computed(() => place.value.time?.[0] ?? 0);
const to = computed(() => place.value.time?.[1] ?? wholeTime.value[1]);

export function startFollowing(): void {
  effect(() => {
    const [id, span] = [traceId.value, selected.value];
    const ask = { ranks: ranks.value, main: hasSteps.value, theme: theme.value, options: optionsText.value };
    void [reconnected.value, areStepsKnown.value];
    detailsProblem.value = null;
    if (id === "" || span === null) {
      details.value = null;
      return undefined;
    }
    const stop = new AbortController();
    fetchDetails(id, span, ask, stop.signal)
      .then((answer) => {
        details.value = answer;
      })
      .catch((error: unknown) => {
        if (stop.signal.aborted) return;
        details.value = null;
        if (error instanceof ApiError) detailsProblem.value = error.message;
      });
    return () => stop.abort();
  });
  effect(() => {
    const [id, filter, window] = [traceId.value, ranks.value, [from.value, to.value] as [number, number]];
    void reconnected.value;
    if (id === "") {
      profile.value = null;
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      try {
        profile.value = await fetchProfile(id, window, filter, stop.signal);
      } catch (error) {
        // With the server away, the last shares stay like everything else on the page.
        if (error instanceof ApiError) profile.value = null;
      }
    }, PROFILE_QUIET_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  });
}
