/**
 * The windows of time in which a finding can be made out: a shorter one of what it is, and one around that. Pure.
 *
 * A run is mostly far longer than what goes wrong in it once, or than a round of what goes wrong in it all the time. So a
 * stall is shown with some time around it; of what lasts the server says where it costs most. Where that is nearly all of the
 * run, a piece is shown, about as long as the critical path needs for some moves between ranks; if it sets in, its beginning.
 */
import type { DiagnosisTold, FindingTold } from "../api/types";

type Window = [number, number];

/** What takes less of the run happened once. */
const ONCE = 0.05;
/** How many times as long as what happened once its surroundings are. */
const AROUND = 4;
/** Moves of the path that can be told apart in one picture. */
const MOVES = 16;
/** A close-up of more of the run would hardly be closer. */
const MOST = 0.1;
/** The server's window is a close-up if it has no more of the run. */
const CLOSE = 0.2;
/** A close-up is to be found in the picture around it if that is no more times as long. */
const WIDER = 50;
/** Where in the picture a beginning stands. */
const BEGINS_AT = 0.25;

/** A piece of so many nanoseconds of the run, moved rather than cut at its ends. */
function piece(from: number, length: number, end: number): Window {
  const width = Math.min(Math.max(length, 10), end);
  const start = Math.min(Math.max(from, 0), end - width);
  return [Math.round(start), Math.round(start + width)];
}

/** Where to look closely at a finding, in a run of `end` nanoseconds. */
export function closeUpOf(finding: FindingTold, { path }: Pick<DiagnosisTold, "path">, end: number): Window {
  const [since, until] = [Number(finding.since_ns), Number(finding.until_ns)];
  const lasts = Math.max(until - since, 0);
  const some = end * Math.min(MOVES / Math.max(path.hops, 1), MOST);
  if (lasts <= end * ONCE) {
    const length = Math.max(lasts * AROUND, some);
    return piece((since + until - length) / 2, length, end);
  }
  const [dearest, over] = [Number(finding.window[0]), Number(finding.window[1])];
  if (over > dearest && over - dearest <= end * CLOSE) return piece(dearest, over - dearest, end);
  const from = finding.is_throughout ? (since + until - some) / 2 : since - some * BEGINS_AT;
  return piece(from, some, end);
}

/** The time around a close-up: the whole run, unless the close-up would be lost in it. */
export function timeAround([from, to]: Window, end: number): Window {
  const length = (to - from) * WIDER;
  return length >= end ? [0, end] : piece((from + to - length) / 2, length, end);
}
