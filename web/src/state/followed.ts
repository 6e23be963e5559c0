/**
 * What is loaded from the server because the place is what it is: one way for all of it.
 *
 * A question is made of signals. When its text changes, the request of the older one is aborted, so answers never arrive
 * out of order; when the server comes back, it is asked again. With the server away the last answer stays, like everything
 * else on the page. What follows a hand on a slider is `live`: one question at a time, so that answers come while it moves.
 */
import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type Answers, ApiError, ask, type Route } from "../api/client";
import { Latest } from "../base/latest";
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
  /** Whether the one under way may finish, so that there are answers while the question changes all the time. */
  live?: boolean;
  /** What makes the same question worth asking again when it changes. */
  again?: () => unknown;
  /** Whether only views that list it among what they load ask for it; without it, it is always asked for. */
  onDemand?: boolean;
}

/** How long a live question may hold up the next one. */
const PATIENCE_MS = 250;

interface Asked {
  trace: string;
  text: string;
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
  const latest = new Latest<Asked, Answers[R]>(
    {
      ask: (asked, signal) => ask(asked.trace, route, new URLSearchParams(asked.text), signal),
      answered: (_, said) => {
        answer.value = said;
      },
      failed: (_, error) => {
        if (!(error instanceof ApiError)) return;
        answer.value = null;
        problem.value = error.message;
      },
    },
    PATIENCE_MS,
  );
  let lastTrace = "";
  const follow = () => {
    const [id, asked] = [traceId.value, text.value];
    void [reconnected.value, options.again?.()];
    problem.value = null;
    if (asked === null) {
      latest.cancel();
      answer.value = null;
      return undefined;
    }
    const { quietMs = 0, live = false } = options;
    const isUrgent = !live || id !== lastTrace;
    lastTrace = id;
    const want = () => latest.want({ trace: id, text: asked }, isUrgent);
    const timer = quietMs > 0 ? setTimeout(want, quietMs) : undefined;
    if (timer === undefined) want();
    return () => {
      clearTimeout(timer);
      if (!live) latest.cancel();
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
