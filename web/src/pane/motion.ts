/**
 * Messages in motion in a pane: asks for what links do over the window and for the messages in flight, and says what is where
 * at the moment that the clock shows. How that is drawn is up to the pane.
 */
import { effect, untracked } from "@preact/signals";
import { fetchMessage, fetchMotion, isAbort } from "../api/client";
import { formatCount } from "../base/format";
import { Latest } from "../base/latest";
import { ActivityNow, binOf } from "../draw/motion-activity";
import { Dots, nextEvent } from "../draw/motion-dots";
import { type Activity, decodeActivity, decodeMoving, type Moving } from "../scene/motion";
import {
  activityShown,
  go,
  isPlaying,
  type MotionStatus,
  messagesBy,
  moment,
  motionKind,
  motionTold,
  option,
  pace,
} from "../state/state";
import { explain, type Failure, type SceneRequest } from "./loader";

const PATIENCE_MS = 400;
/** The next stretch is asked for when so many seconds of this one are left. */
const AHEAD = 1.5;

interface Question {
  trace: string;
  view: string;
  params: URLSearchParams;
}

/** From when on messages are asked for. */
interface MessageQuestion extends Question {
  after: number;
  key: string;
}

export class PaneMotion {
  readonly dots = new Dots();
  activity: Activity | null = null;
  links: ActivityNow | null = null;
  nodes: ActivityNow | null = null;
  blocks: ActivityNow | null = null;
  moving: Moving | null = null;
  private bars: readonly number[] = [];
  private movingKey = "";
  /** The stretch after this one. */
  private next: Moving | null = null;
  private asked: { key: string; question: Question } | null = null;
  private messageKey = "";
  /** Up to which moment messages are asked for already. */
  private askedFrom = Number.NaN;
  private readonly activities: Latest<Question, Activity>;
  private readonly messages: Latest<MessageQuestion, Moving>;
  private readonly stop: () => void;

  constructor(
    private readonly id: string,
    private readonly holder: HTMLElement,
    private readonly hooks: { changed(): void; failed(why: Failure): void },
  ) {
    this.activities = new Latest(
      {
        ask: async ({ trace, view, params }, signal) =>
          decodeActivity(await fetchMotion(trace, view, "activity", params, signal)),
        answered: (_, activity) => this.takeActivity(activity),
        failed: (_, error) => this.fail(error),
      },
      PATIENCE_MS,
    );
    this.messages = new Latest(
      {
        ask: async ({ trace, view, params }, signal) =>
          decodeMoving(await fetchMotion(trace, view, "messages", params, signal)),
        answered: (question, moving) => this.takeMoving(question, moving),
        failed: (_, error) => this.fail(error),
      },
      PATIENCE_MS,
    );
    this.stop = effect(() => {
      void [moment.value, activityShown.value, messagesBy.value, motionKind.value];
      untracked(() => hooks.changed());
    });
  }

  get isOn(): boolean {
    return this.asked !== null;
  }

  get isBusy(): boolean {
    return this.asked !== null && (this.activities.busy || this.messages.busy);
  }

  /** Follows the picture: what moves is in the same window of the same machine. null while nothing moves. */
  follow(request: SceneRequest | null): void {
    if (request === null || motionKind.value === "none") {
      this.asked = null;
      this.drop();
      return;
    }
    const { trace, view, params } = request;
    const own = new URLSearchParams(params);
    for (const name of ["across", "down", "theme", "frame"]) own.delete(name);
    // What is selected says whose messages count only if that is asked for.
    if (!option("only-selected")) own.delete("select");
    const key = [trace, view, own].join("\n");
    const withColours = new URLSearchParams(params);
    withColours.set("colour-messages", messagesBy.value);
    for (const name of ["across", "down"]) withColours.delete(name);
    const messageKey = [trace, view, withColours].join("\n");
    if (this.asked?.key !== key) {
      this.drop();
      this.activities.want({ trace, view, params: own }, true);
    }
    this.asked = { key, question: { trace, view, params: withColours } };
    if (messageKey !== this.messageKey) {
      this.messageKey = messageKey;
      this.askedFrom = Number.NaN;
      this.next = null;
    }
  }

  private drop(): void {
    this.activities.cancel();
    this.messages.cancel();
    [this.activity, this.links, this.nodes, this.blocks, this.moving, this.next] = [null, null, null, null, null, null];
    [this.messageKey, this.movingKey, this.askedFrom] = ["", "", Number.NaN];
    this.dots.count = 0;
    this.tell(null);
    for (const name of ["motion", "dots", "inFlight", "heat", "dotAt"]) delete this.holder.dataset[name];
  }

  private takeActivity(activity: Activity): void {
    this.activity = activity;
    this.bars = [...activity.inFlight];
    const { bins, fade } = activity;
    this.links = new ActivityNow(activity.links, bins, fade);
    this.nodes = new ActivityNow(activity.nodes, bins, fade);
    this.blocks = new ActivityNow(activity.blocks, bins, fade);
    this.hooks.changed();
  }

  private takeMoving({ key }: MessageQuestion, moving: Moving): void {
    if (key !== this.messageKey) return;
    const covers = this.moving !== null && this.movingKey === key && moving.from >= this.moving.until;
    if (covers && moment.value < moving.from) this.next = moving;
    else [this.moving, this.movingKey, this.next] = [moving, key, null];
    this.hooks.changed();
  }

  private fail(error: unknown): void {
    if (!isAbort(error)) this.hooks.failed(explain(error));
  }

  /** Places everything at the moment of the clock. Returns whether links or nodes look different now. */
  update(): boolean {
    const { activity, links, nodes } = this;
    if (activity === null || links === null || nodes === null) return false;
    const at = moment.value;
    const bin = binOf(activity, at);
    const shown = activityShown.value;
    const hasChanged = [links, nodes, this.blocks].map((all) => all?.show(bin, shown)).includes(true);
    const crowd = activity.inFlight[bin] ?? 0;
    const isCrowded = crowd > activity.mostInFlight;
    if (this.next !== null && at >= this.next.from && at < this.next.until) {
      [this.moving, this.next] = [this.next, null];
    }
    if (!isCrowded) this.ask(at);
    const { moving } = this;
    if (moving !== null && !isCrowded && moving.note === null)
      this.dots.place(moving, at, motionKind.value === "pipes");
    else
      [this.dots.count, this.dots.pipeCount, this.dots.inFlight] = [0, 0, isCrowded ? crowd : (moving?.inFlight ?? 0)];
    const isTooMuch = this.dots.inFlight > activity.mostInFlight;
    if (isTooMuch) [this.dots.count, this.dots.pipeCount] = [0, 0];
    const { holder } = this;
    holder.dataset.motion = motionKind.value;
    holder.dataset.dots = String(this.dots.count);
    holder.dataset.inFlight = String(this.dots.inFlight);
    if (hasChanged) holder.dataset.heat = String(links.sum);
    this.tell({
      pane: this.id,
      inFlight: this.dots.inFlight,
      note: isTooMuch ? onlyActivity(this.dots.inFlight) : null,
      title: moving?.title ?? "",
      colours: moving?.colours.map(([red, green, blue]) => `rgb(${red} ${green} ${blue})`) ?? [],
      ends: moving?.ends ?? ["", ""],
      largest: shown === "sum" ? activity.links.sumText : activity.links.largest,
      messages: activity.messages,
      notes: activity.notes,
      bars: this.bars,
      nextEvent: () => this.nextEvent(),
    });
    return hasChanged;
  }

  /** Asks for the messages of a moment, or for those that come next. */
  private ask(at: number): void {
    if (this.asked === null) return;
    const { moving } = this;
    const isThere = moving !== null && this.movingKey === this.messageKey && at >= moving.from && at < moving.until;
    const last = this.activity?.window[1] ?? 0;
    const isEnding =
      isThere && isPlaying.value && moving.until < last && moving.until - at < pace.value * AHEAD && this.next === null;
    if (isThere && !isEnding) return;
    const after = isEnding ? moving.until : Math.floor(at);
    if (after === this.askedFrom) return;
    this.askedFrom = after;
    const { trace, view, params } = this.asked.question;
    const all = new URLSearchParams(params);
    all.set("after", String(after));
    this.messages.want({ trace, view, params: all, after, key: this.messageKey });
  }

  /** The next moment at which something happens. */
  private nextEvent(): number {
    const at = moment.value;
    const { activity, moving } = this;
    if (activity === null) return at;
    const event = moving === null || moving.note !== null ? null : nextEvent(moving, at);
    const [from, to] = activity.window;
    // Without a list, and behind its end, the next bin.
    const bin = from + ((binOf(activity, at) + 1) / activity.bins) * (to - from);
    return event ?? Math.min(Math.max(bin, at + 1), to);
  }

  /** Selects a message of the list. */
  async select(message: number): Promise<void> {
    const row = this.moving?.row[message];
    if (row === undefined || this.asked === null) return;
    try {
      const { select } = await fetchMessage(this.asked.question.trace, row);
      if (select !== null) go({ selected: select }, "push");
    } catch (error) {
      this.fail(error);
    }
  }

  private tell(status: MotionStatus | null): void {
    const before = untracked(() => motionTold.value);
    if (status === null && before?.pane !== this.id) return;
    // One pane speaks for all.
    if (status !== null && before !== null && before.pane !== status.pane) return;
    const isSame =
      status !== null &&
      before !== null &&
      before.inFlight === status.inFlight &&
      before.note === status.note &&
      before.title === status.title &&
      before.largest === status.largest &&
      before.bars === status.bars &&
      before.ends[1] === status.ends[1];
    if (!isSame) motionTold.value = status;
  }

  dispose(): void {
    this.stop();
    this.asked = null;
    this.drop();
  }
}

function onlyActivity(inFlight: number): string {
  return `${formatCount(inFlight)} messages in flight: activity of links and switches is shown.`;
}
