/**
 * What links and nodes show at a moment: what they carry now, which fades when it is over, or the sum since the window began.
 * The twin of `ActivityShown` in Rust, bin by bin, so that figures show the same.
 */
import type { Activity, Shares } from "../scene/motion";

export type Shown = "now" | "sum";

/** What has faded below this is over. */
const OVER = 0.5 / 255;

/** The bin of a moment. */
export function binOf({ window: [from, to], bins }: Activity, at: number): number {
  const share = to > from ? (at - from) / (to - from) : 0;
  return Math.max(0, Math.min(Math.floor(share * bins), bins - 1));
}

/** The values of one kind of things at a moment, from 0 to 255. */
export class ActivityNow {
  readonly values: Uint8Array<ArrayBuffer>;
  /** All values together. */
  sum = 0;
  private readonly exact: Float32Array;
  private bin = -1;
  private shown: Shown = "now";

  constructor(
    private readonly shares: Shares,
    private readonly bins: number,
    private readonly fade: number,
  ) {
    this.values = new Uint8Array(shares.count);
    this.exact = new Float32Array(shares.count);
  }

  /** Goes to a bin. Returns whether anything changed. */
  show(bin: number, shown: Shown): boolean {
    if (bin === this.bin && shown === this.shown) return false;
    const goesOn = shown === this.shown && bin >= this.bin && this.bin >= 0;
    // What is long over no longer counts.
    const reach = this.fade > 0 ? Math.ceil(Math.log(OVER) / Math.log(this.fade)) : 0;
    const first = shown === "sum" || !Number.isFinite(reach) ? 0 : Math.max(0, bin - reach);
    let next = this.bin + 1;
    if (!goesOn || next < first) {
      this.exact.fill(0);
      next = first;
    }
    for (; next <= Math.min(bin, this.bins - 1); next += 1) this.add(next, shown);
    [this.bin, this.shown] = [bin, shown];
    const scale = shown === "sum" ? (this.shares.sum > 0 ? 255 / this.shares.sum : 0) : 1;
    const { exact, values } = this;
    let sum = 0;
    // A trace of something stays visible.
    for (let at = 0; at < values.length; at += 1) {
      const value = (exact[at] ?? 0) * scale;
      const byte = value > 255 ? 255 : value > 0.5 ? Math.max(1, Math.floor(value)) : 0;
      values[at] = byte;
      sum += byte;
    }
    this.sum = sum;
    return true;
  }

  private add(bin: number, shown: Shown): void {
    const { exact, fade } = this;
    const { count, values } = this.shares;
    const from = bin * count;
    if (shown === "sum") {
      for (let at = 0; at < count; at += 1) exact[at] = (exact[at] ?? 0) + (values[from + at] ?? 0);
      return;
    }
    for (let at = 0; at < count; at += 1) {
      const [faded, value] = [(exact[at] ?? 0) * fade, values[from + at] ?? 0];
      exact[at] = Math.max(value, faded);
    }
  }
}
