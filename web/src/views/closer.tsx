/** Closer looks at calls: the same view of the server in another style, in a shorter window of its own. */
import { formatShort } from "../base/format";
import { go, place } from "../state/state";
import { CALLS, callsShown } from "./calls";
import { callColour, OPACITY_OPTIONS } from "./parts/calls/data";
import { brushMark } from "./parts/calls/marks";
import { LinkButton } from "./parts/controls";
import type { View } from "./view";

function Controls(props: { pane: string }) {
  const shown = callsShown(props.pane);
  return (
    <>
      {shown !== null && <span class="count">{formatShort(shown)} calls</span>}
      {place.value.closer !== null && (
        <LinkButton title="Let the page choose this window again" onClick={() => go({ closer: null }, "push")}>
          reset
        </LinkButton>
      )}
    </>
  );
}

const CLOSER: Omit<View, "name" | "title" | "about" | "source"> = {
  ...CALLS,
  marks: (picture) => ({ brush: brushMark(picture) }),
  Controls,
};

export const arches: View = {
  ...CLOSER,
  name: "calls-arches",
  title: "Arches",
  about: "Calls of a shorter window as arches from start to end.",
  source: {
    view: "calls",
    fixed: { style: "arches", scale: "linear" },
    adjust: callColour,
    own: OPACITY_OPTIONS,
    closer: true,
  },
};

export const lines: View = {
  ...CLOSER,
  name: "calls-lines",
  title: "Lines",
  about: "Calls of a shorter window as lines from start to end.",
  source: { view: "calls", fixed: { style: "lines" }, adjust: callColour, own: OPACITY_OPTIONS, closer: true },
};
