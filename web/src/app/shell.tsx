/** The frame of the page: bar, strip, left, dock, right, status; or a page of words when there is nothing to draw. */
import { BrushPanel } from "../panels/brushed";
import { CallFilter } from "../panels/call-filter";
import { CausePanel } from "../panels/cause";
import { DetailsPanel } from "../panels/details";
import { Communicators, RankFilter } from "../panels/filter";
import { FindingsPanel, Stages } from "../panels/findings";
import { Help } from "../panels/help";
import { Legend } from "../panels/legend";
import { LogicalOptionsPanel } from "../panels/logical-options";
import { MetricPanel } from "../panels/metric";
import { OpacityKey } from "../panels/opacity-key";
import { Palette } from "../panels/palette";
import { PhasePanel, PhasesPanel } from "../panels/phases";
import { StatusLine } from "../panels/status";
import { Strip } from "../panels/strip";
import { TourCard } from "../panels/tour";
import { dialog } from "../panels/ui";
import { WarningList } from "../panels/warnings";
import { page, place, serverGone, trace } from "../state/state";
import { Border } from "./border";
import { Dock } from "./dock";
import { Header } from "./header";
import { EmptyTrace, MessagePage } from "./message";
import { LEFT, RIGHT, type Side, setWidth, widthOf } from "./sides";

function SideBorder(props: { side: Side }) {
  const { side } = props;
  const towards = side.name === "left" ? 1 : -1;
  return (
    <Border
      upright
      class={`side side-${side.name}`}
      label={`Width of the ${side.name} side`}
      now={widthOf(side)}
      min={side.least}
      max={side.most}
      onMove={(event) => setWidth(side, towards > 0 ? event.clientX : window.innerWidth - event.clientX)}
      onStep={(by) => setWidth(side, widthOf(side) + by * towards * 8)}
    />
  );
}

function Gone() {
  if (!serverGone.value) return null;
  return (
    <div class="banner" role="alert">
      <b>The Heddle server does not answer.</b> What you see stays; nothing new can be drawn. Is it still running? This
      page tries again every two seconds.
    </div>
  );
}

/** Whether the right side has something to say about what somebody pointed at. */
function isAsked(): boolean {
  const { selected, calls, logical } = place.value;
  return selected !== null || calls.brush !== null || logical.phase !== null;
}

function Workplace() {
  return (
    <div class={`shell ${isAsked() ? "has-selection" : ""} ${serverGone.value ? "gone" : ""}`}>
      <Header />
      <Strip />
      <aside class="left" aria-label="Trace">
        <Legend />
        <Stages />
        <PhasesPanel />
        <MetricPanel />
        <LogicalOptionsPanel />
        <RankFilter />
        <CallFilter />
        <OpacityKey />
        <Communicators />
        <WarningList />
        <SideBorder side={LEFT} />
      </aside>
      <Dock />
      <TourCard />
      <aside class="right" aria-label="Selection">
        <FindingsPanel />
        <CausePanel />
        {place.value.selected === null && <PhasePanel />}
        <DetailsPanel />
        {place.value.selected !== null && <PhasePanel />}
        <BrushPanel />
        <SideBorder side={RIGHT} />
      </aside>
      <StatusLine />
      {dialog.value === "palette" && <Palette />}
      {dialog.value === "help" && <Help />}
    </div>
  );
}

export function Shell() {
  const now = page.value;
  const info = trace.value;
  const empty = now.kind === "ready" && info?.spans === "0";
  return (
    <>
      <Gone />
      {now.kind !== "ready" && <MessagePage page={now} />}
      {empty && <EmptyTrace name={info.name} warnings={info.warnings.map((warning) => warning.text)} />}
      {now.kind === "ready" && !empty && <Workplace />}
    </>
  );
}
