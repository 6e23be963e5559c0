/** The frame of the page: bar, strip, left, dock, right, status; or a page of words when there is nothing to draw. */
import type { ComponentType } from "preact";
import { DetailsPanel } from "../panels/details";
import { Communicators, RankFilter } from "../panels/filter";
import { Help } from "../panels/help";
import { Legend } from "../panels/legend";
import { NoteDialog } from "../panels/note-dialog";
import { NotesPanel } from "../panels/notes";
import { Palette } from "../panels/palette";
import { StatusLine } from "../panels/status";
import { Strip } from "../panels/strip";
import { TourCard } from "../panels/tour";
import { TypeWindow } from "../panels/type-window";
import { WarningList } from "../panels/warnings";
import { dialog, drawerOpen, hasTimes, page, serverGone, sideInFront, trace } from "../state/state";
import { inSight } from "../views/registry";
import type { Slot } from "../views/view";
import { Border } from "./border";
import { Dock } from "./dock";
import { Backdrop, DrawerHead, NarrowBar, SideTabs } from "./drawers";
import { FigureDialog } from "./figure-dialog";
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
      <b>The Heddle server does not answer.</b> What you see stays, but nothing new can be drawn. Is it still running?
      This page tries again every two seconds.
    </div>
  );
}

/** The panels of the views in sight that stand in a slot, each once. */
function Panels(props: { slot: Slot }) {
  const all = new Set<ComponentType>(inSight().flatMap(({ panels }) => panels?.[props.slot] ?? []));
  return (
    <>
      {[...all].map((Panel) => (
        <Panel key={Panel.name} />
      ))}
    </>
  );
}

function Workplace() {
  // Where ranks are places of a machine, their communicators come before the functions.
  const isOfRanks = inSight().some(({ selectsRanks }) => selectsRanks === true);
  const hasLegend = inSight().some((view) => view.hasLegend === true);
  return (
    <div
      class={`shell front-${sideInFront.value} ${drawerOpen.value ? "drawer" : ""} ${serverGone.value ? "gone" : ""} ${hasTimes.value ? "" : "timeless"}`}
    >
      <Header />
      {hasTimes.value && <Strip />}
      <NarrowBar />
      <SideTabs />
      <aside class="left" id="side-trace" data-drawer="trace" aria-label="Trace">
        <DrawerHead side="trace" />
        <Panels slot="first" />
        {isOfRanks && <Communicators />}
        {hasTimes.value && !hasLegend && <Legend />}
        <Panels slot="functions" />
        {hasTimes.value && <RankFilter />}
        <Panels slot="filters" />
        {!isOfRanks && <Communicators />}
        <NotesPanel />
        <WarningList />
        <SideBorder side={LEFT} />
      </aside>
      <Dock />
      <TourCard />
      <aside class="right" id="side-details" data-drawer="details" aria-label="Details">
        <DrawerHead side="details" />
        <Panels slot="above" />
        <DetailsPanel />
        <Panels slot="below" />
        <SideBorder side={RIGHT} />
      </aside>
      <Backdrop />
      <StatusLine />
      {dialog.value === "palette" && <Palette />}
      {dialog.value === "help" && <Help />}
      {dialog.value === "note" && <NoteDialog />}
      {dialog.value === "window" && <TypeWindow />}
      {dialog.value === "figure" && <FigureDialog />}
    </div>
  );
}

export function Shell() {
  const now = page.value;
  const info = trace.value;
  const empty = now.kind === "ready" && info?.spans === "0" && info.network === undefined;
  return (
    <>
      <Gone />
      {now.kind !== "ready" && <MessagePage page={now} />}
      {empty && <EmptyTrace info={info} />}
      {now.kind === "ready" && !empty && <Workplace />}
    </>
  );
}
