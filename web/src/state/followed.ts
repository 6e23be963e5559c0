/**
 * What is loaded from the server because the place is what it is: one way for all of it.
 *
 * A question is made of signals. When its text changes, the request of the older one is aborted, so answers never arrive
 * out of order; when the server comes back, it is asked again. With the server away the last answer stays, like everything
 * else on the page.
 */
import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type Answers, ApiError, ask, type Route } from "../api/client";
import { viewsInSight } from "./dock";
import { traceId } from "./history";
import { reconnected } from "./server";
import type { Loadable } from "./views";

export interface Followed<A> extends Loadable {
  /** What the server last said; null while it is not known, or not asked for. */
  answer: ReadonlySignal<A | null>;
  /** Why nothing can be said, in the server's words. */
  problem: ReadonlySignal<string | null>;
}

interface FollowOptions {
  /** What to ask; null for nothing. */
  question: () => URLSearchParams | null;
  /** How long the question has to rest first: words are read, not watched. */
  quietMs?: number;
  /** What makes the same question worth asking again when it changes. */
  again?: () => unknown;
  /** Whether only views that list it among what they load ask for it; without it, it is always asked for. */
  onDemand?: boolean;
}

const waiting: (() => void)[] = [];
let isStarted = false;

/** Follows a question from `startFollowing` on. */
export function followed<R extends Route>(route: R, options: FollowOptions): Followed<Answers[R]> {
  const answer: Signal<Answers[R] | null> = signal(null);
  const problem = signal<string | null>(null);
  const self: Followed<Answers[R]> = { route, answer, problem };
  const isWanted = () =>
    options.onDemand !== true || viewsInSight.value.some(({ loads }) => loads?.includes(self) ?? false);
  // Texts, so that only a change of the question itself asks again.
  const text = computed(() => (traceId.value !== "" && isWanted() ? (options.question()?.toString() ?? null) : null));
  const load = (id: string, asked: string, stop: AbortController) =>
    ask(id, route, new URLSearchParams(asked), stop.signal)
      .then((said) => {
        answer.value = said;
      })
      .catch((error: unknown) => {
        if (stop.signal.aborted || !(error instanceof ApiError)) return;
        answer.value = null;
        problem.value = error.message;
      });
  const follow = () => {
    const [id, asked] = [traceId.value, text.value];
    void [reconnected.value, options.again?.()];
    problem.value = null;
    if (asked === null) {
      answer.value = null;
      return undefined;
    }
    const stop = new AbortController();
    const { quietMs = 0 } = options;
    const timer = quietMs > 0 ? setTimeout(load, quietMs, id, asked, stop) : undefined;
    if (timer === undefined) void load(id, asked, stop);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  };
  if (isStarted) effect(follow);
  else waiting.push(() => effect(follow));
  return self;
}

/** Begins to load. */
export function startFollowing(): void {
  isStarted = true;
  for (const start of waiting.splice(0)) start();
}
