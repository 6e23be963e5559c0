/**
 * Asks one question at a time, and always the newest.
 *
 * While one is under way, newer ones replace each other in a queue of one. The one under way may still finish for a
 * moment: a server that is fast enough then delivers a picture every few frames of a long drag, where aborting at once
 * would deliver none before the hand rests. After that moment it is given up, so that a slow one holds nobody up.
 */

export interface Hooks<Question, Answer> {
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  answered(question: Question, answer: Answer): void;
  /** Not called for what was given up, nor when a newer question waits. */
  failed(question: Question, error: unknown): void;
}

interface Run {
  stop: AbortController;
}

export class Latest<Question, Answer> {
  private running: Run | null = null;
  private waiting: { question: Question } | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly hooks: Hooks<Question, Answer>,
    private readonly patienceMs: number,
  ) {}

  get busy(): boolean {
    return this.running !== null;
  }

  /** `urgent` gives up the one under way at once: its answer would be of no use any more. */
  want(question: Question, urgent = false): void {
    if (urgent) this.cancel();
    if (this.running === null) {
      this.start(question);
      return;
    }
    this.waiting = { question };
    this.timer ??= setTimeout(() => {
      const { waiting } = this;
      this.cancel();
      if (waiting !== null) this.start(waiting.question);
    }, this.patienceMs);
  }

  /** Gives up everything. */
  cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting = null;
    const { running } = this;
    this.running = null;
    running?.stop.abort();
  }

  private start(question: Question): void {
    const run: Run = { stop: new AbortController() };
    this.running = run;
    this.hooks.ask(question, run.stop.signal).then(
      (answer) => this.finish(run, () => this.hooks.answered(question, answer)),
      (error: unknown) => this.finish(run, (isLast) => isLast && this.hooks.failed(question, error)),
    );
  }

  private finish(run: Run, tell: (isLast: boolean) => void): void {
    // An older run that was given up has nothing to say, even if its answer slipped through.
    if (this.running !== run) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.running = null;
    const { waiting } = this;
    this.waiting = null;
    if (waiting !== null) this.start(waiting.question);
    tell(waiting === null);
  }
}
