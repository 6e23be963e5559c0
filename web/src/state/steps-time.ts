/**
 * Asks the server which steps are when, so that the window that was not moved follows the one that was.
 *
 * At most one question is on its way, and the newest waits; answers are shown as they come, so that a long drag moves both.
 */
import { effect } from "@preact/signals";
import { ask } from "../api/client";
import type { StepsTime } from "../api/types";
import { Latest } from "../base/latest";
import { hasSteps } from "./dock";
import { driver, followUp, place } from "./history";
import { logical } from "./logical";
import type { Driver } from "./steps-driver";
import { windowOf } from "./windows";

const PATIENCE_MS = 100;

interface Question {
  trace: string;
  options: string;
  by: Driver;
  window: [number, number];
}

function current(): Question | null {
  const by = driver.value;
  if (by === null || logical.known.value === null || !hasSteps.value) return null;
  return { trace: place.value.trace, options: logical.options.value, by, window: windowOf(by) };
}

function isSame(a: Question, b: Question | null): boolean {
  return (
    b !== null && a.trace === b.trace && a.options === b.options && a.by === b.by && `${a.window}` === `${b.window}`
  );
}

export function startStepsTime(): void {
  const latest = new Latest<Question, StepsTime>(
    {
      ask: ({ trace, options, by, window }, signal) => {
        const params = new URLSearchParams(options);
        params.set(by, window.join(":"));
        return ask(trace, "steps", params, signal);
      },
      answered: (question, answer) => {
        const now = current();
        if (now === null || now.trace !== question.trace || now.options !== question.options || now.by !== question.by)
          return;
        if (question.by === "time") followUp({ steps: answer.steps });
        else followUp({ time: [Number(answer.time[0]), Number(answer.time[1])] });
        if (isSame(question, now)) driver.value = null;
      },
      // The views stay where they are; that the server is gone is said elsewhere.
      failed: () => {},
    },
    PATIENCE_MS,
  );
  let last: Question | null = null;
  effect(() => {
    const question = current();
    if (question !== null && isSame(question, last)) return;
    last = question;
    if (question === null) latest.cancel();
    else latest.want(question);
  });
}
