/** What stands out in the window, in the server's words. Views that speak of it load it. */
import { followed } from "./followed";
import { place } from "./history";
import { questionOf } from "./questions";
import { wholeTime } from "./trace";

/** Sentences are read, not watched: they wait until the window rests. */
const QUIET_MS = 300;

export const findings = followed("findings", {
  question: () => questionOf({ time: (place.value.time ?? wholeTime.value).join(":"), ranks: place.value.ranks }),
  quietMs: QUIET_MS,
  onDemand: true,
});
