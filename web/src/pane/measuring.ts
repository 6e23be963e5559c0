/**
 * A drag that measures: the ruler follows the hand, and its ends snap to where calls begin and end.
 *
 * Only the server knows these edges, so an end snaps a moment after the hand is there, and stays as long as the hand is near.
 */
import { fetchEdge } from "../api/client";
import { Latest } from "../base/latest";
import { ruler } from "../state/state";
import type { Question } from "./pointer";

const PATIENCE_MS = 80;
/** How near to an edge a hand means the edge, in pixels. */
export const SNAP = 6;

/** A place of the hand: its moment, how long the pixels are within which it snaps, and what to ask; null where nothing is. */
export interface Held {
  time: number;
  reach: number;
  question: Question | null;
}

/** One end of the ruler. */
class End {
  private held: Held | null = null;
  private edge: number | null = null;
  private readonly edges: Latest<Question, number | null>;

  constructor(changed: () => void) {
    this.edges = new Latest(
      {
        ask: ({ request, at }, signal) => fetchEdge(request.trace, request.view, request.params, at, signal),
        answered: (_, edge) => {
          this.edge = edge;
          changed();
        },
        // Without an answer the end lies where the hand is.
        failed: () => {},
      },
      PATIENCE_MS,
    );
  }

  hold(held: Held): void {
    this.held = held;
    if (held.question === null) this.edges.cancel();
    else this.edges.want(held.question);
  }

  /** Where it lies, and whether that is an edge. */
  get place(): { time: number; onEdge: boolean } | null {
    const { held, edge } = this;
    if (held === null) return null;
    const onEdge = edge !== null && Math.abs(edge - held.time) <= held.reach;
    return { time: onEdge ? edge : Math.round(held.time), onEdge };
  }

  forget(): void {
    this.edges.cancel();
    [this.held, this.edge] = [null, null];
  }
}

export class Measuring {
  private readonly first = new End(() => this.show());
  private readonly second = new End(() => this.show());
  /** Whether the hand still holds it. */
  isOn = false;

  /** The hand took hold somewhere. */
  begin(from: Held): void {
    this.dispose();
    this.first.hold(from);
    this.isOn = true;
  }

  /** It is there by now. */
  drag(to: Held): void {
    this.second.hold(to);
    this.show(true);
  }

  /** The hand let go: the ruler stays where it is, and may still snap. */
  end(): void {
    this.isOn = false;
  }

  /** Nothing was meant. */
  cancel(): void {
    this.dispose();
    ruler.value = null;
  }

  private show(isNew = false): void {
    const [a, b] = [this.first.place, this.second.place];
    // Once taken away, it does not come back with a late answer.
    if (a === null || b === null || (!isNew && ruler.peek() === null)) return;
    const [early, late] = a.time <= b.time ? [a, b] : [b, a];
    ruler.value = { from: early.time, to: late.time, onEdge: [early.onEdge, late.onEdge] };
  }

  dispose(): void {
    this.isOn = false;
    this.first.forget();
    this.second.forget();
  }
}
