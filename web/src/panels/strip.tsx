/** The whole run as a strip of activity, with the brush that is the time window of all panes. */
import { Pane } from "../pane/pane";
import { Brush } from "../pane/window-brush";
import { momentWords, timeWords } from "../pane/words";
import { go, place, timeWindow, wholeTime } from "../state/state";
import { activity } from "../views/activity";

export function Strip() {
  const window = timeWindow.value;
  return (
    <section class="strip" data-testid="strip" aria-label="Whole run">
      <div class="ground">
        <Pane id="strip" view={activity} frame="strip" />
        <Brush
          pane="strip"
          testid="brush"
          window={window}
          whole={wholeTime.value}
          everything={place.value.time === null}
          label="Time window"
          ends="Window"
          words={timeWords}
          momentWords={(moment) => momentWords(moment, window)}
          onGo={(time, how) => go({ time }, how)}
        />
      </div>
    </section>
  );
}
