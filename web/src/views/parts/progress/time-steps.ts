/** Numbers of time steps that buttons go through, and the instants among them. Pure. */

/** Round numbers, as dense as they are told apart. */
const ROUND = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 500, 750, 1000];

/** The next round number of steps, more (1) or fewer (-1); the same at the ends. */
export function nextSteps(steps: number, by: 1 | -1): number {
  const beyond = by > 0 ? ROUND.find((one) => one > steps) : ROUND.findLast((one) => one < steps);
  return beyond ?? steps;
}

/** The instant of another division of the run that lies where one of this division does. */
export function sameInstant(instant: number, steps: number, next: number): number {
  return Math.round((instant / Math.max(steps, 1)) * next);
}

/** The first instant at or after a moment; the last one if there is none. */
export function instantAfter(times: readonly number[], moment: number): number {
  const at = times.findIndex((time) => time >= moment);
  return at < 0 ? Math.max(times.length - 1, 0) : at;
}
