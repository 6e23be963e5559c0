/** Where messages are at a moment: from the list of those in flight to places on their ways. */
import type { Moving } from "../scene/motion";

/** Messages at a moment: place by place, five numbers each: x, y, z, place on the scale of colours, number in the list. */
export const NUMBERS = 5;
/** Pieces of pipes: seven numbers each: both ends, place on the scale of colours. */
export const PIPE_NUMBERS = 7;

export class Dots {
  data = new Float32Array(NUMBERS * 1024);
  count = 0;
  /** How many are in flight, whether they are seen or out of the picture. */
  inFlight = 0;
  pipes = new Float32Array(PIPE_NUMBERS * 1024);
  pipeCount = 0;

  /** Places all messages of a moment. */
  place(moving: Moving, at: number, withPipes: boolean): void {
    const time = at - moving.from;
    this.count = 0;
    this.inFlight = 0;
    this.pipeCount = 0;
    for (let message = 0; message < moving.count; message += 1) {
      const start = moving.start[message] ?? 0;
      // They are listed by their start.
      if (start > time) break;
      const end = moving.end[message] ?? 0;
      if (end <= time) continue;
      this.inFlight += 1;
      this.walk(moving, message, (time - start) / (end - start), withPipes);
    }
  }

  private walk({ first, points, place, share }: Moving, message: number, part: number, withPipes: boolean): void {
    const from = first[message] ?? 0;
    const last = from + (points[message] ?? 0) - 1;
    for (let point = from; point < last; point += 1) {
      const [a, b] = [4 * point, 4 * point + 4];
      const [x, y, z, since] = [place[a] ?? 0, place[a + 1] ?? 0, place[a + 2] ?? 0, place[a + 3] ?? 0];
      if (since > part) continue;
      const [toX, toY, toZ, until] = [place[b] ?? 0, place[b + 1] ?? 0, place[b + 2] ?? 0, place[b + 3] ?? 0];
      // A break.
      if (Number.isNaN(x) || Number.isNaN(toX)) continue;
      const isHere = part < until;
      const along = isHere ? (part - since) / (until - since) : 1;
      const [nowX, nowY, nowZ] = [x + (toX - x) * along, y + (toY - y) * along, z + (toZ - z) * along];
      if (withPipes) this.addPipe(x, y, z, nowX, nowY, nowZ, share[message] ?? 0);
      // Where the picture has the machine several times, the way has as many strands.
      if (isHere) this.add(nowX, nowY, nowZ, share[message] ?? 0, message);
    }
  }

  private add(x: number, y: number, z: number, share: number, message: number): void {
    const at = this.count * NUMBERS;
    if (at + NUMBERS > this.data.length) this.data = grown(this.data);
    this.data[at] = x;
    this.data[at + 1] = y;
    this.data[at + 2] = z;
    this.data[at + 3] = share;
    this.data[at + 4] = message;
    this.count += 1;
  }

  private addPipe(x: number, y: number, z: number, toX: number, toY: number, toZ: number, share: number): void {
    const at = this.pipeCount * PIPE_NUMBERS;
    if (at + PIPE_NUMBERS > this.pipes.length) this.pipes = grown(this.pipes);
    const { pipes } = this;
    pipes[at] = x;
    pipes[at + 1] = y;
    pipes[at + 2] = z;
    pipes[at + 3] = toX;
    pipes[at + 4] = toY;
    pipes[at + 5] = toZ;
    pipes[at + 6] = share;
    this.pipeCount += 1;
  }
}

function grown(list: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  const more = new Float32Array(list.length * 2);
  more.set(list);
  return more;
}

/** The next moment at which a message is sent or arrives, after one; null if the list knows none. */
export function nextEvent(moving: Moving, after: number): number | null {
  const time = after - moving.from;
  let next = Number.POSITIVE_INFINITY;
  for (let message = 0; message < moving.count; message += 1) {
    for (const event of [moving.start[message] ?? 0, moving.end[message] ?? 0])
      if (event > time && event < next) next = event;
  }
  return next < moving.until - moving.from ? moving.from + next : null;
}
