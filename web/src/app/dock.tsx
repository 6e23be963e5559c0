/**
 * The dock: panes that can be split, tabbed, maximised, closed and resized.
 *
 * A small one of our own: its state is one short text in the address, its borders move with the keyboard, and it adds no
 * styles of its own under the strict policy of the page.
 */
import { useRef } from "preact/hooks";
import { Pane } from "../pane/pane";
import { windowWords } from "../pane/words";
import { FirstLayout } from "../panels/first-layout";
import { IconButton } from "../panels/icon-button";
import {
  CloseIcon,
  MaximiseIcon,
  PinIcon,
  PlusIcon,
  RestoreIcon,
  SplitDownIcon,
  SplitRightIcon,
} from "../panels/icons";
import { Menu } from "../panels/menu";
import {
  addTab,
  changeView,
  closeTab,
  frontOf,
  panes,
  resize,
  showTab,
  split,
  toggleMaximised,
} from "../state/dock-tree";
import {
  acrossIn,
  canUnlink,
  dock,
  focusedPane,
  needsOf,
  ownWindows,
  setDock,
  specOf,
  toggleLinked,
} from "../state/state";
import { EmptyNotice } from "../views/parts/empty";
import { HeadParts } from "../views/parts/head";
import { AnalysisNotice, SoonerNotice } from "../views/parts/notice";
import { inSight, viewOf, views } from "../views/registry";
import { titleOf, type View } from "../views/view";
import { Border } from "./border";
import { css, type Length, type PaneBox, type Splitter } from "./dock-boxes";
import { boxes, currentPane } from "./dock-state";

function Tabs(props: { pane: PaneBox }) {
  const { node, path } = props.pane;
  const show = (i: number) => setDock(showTab(dock.value, path, (i + node.tabs.length) % node.tabs.length));
  return (
    <div class="pane-tabs" role="tablist" aria-label="Views of this pane">
      {node.tabs.map(({ view }, i) => (
        <button
          // Views may repeat; their order is what tells them apart.
          key={`${view}${i}`}
          type="button"
          role="tab"
          aria-selected={i === node.front}
          tabIndex={i === node.front ? 0 : -1}
          onClick={() => show(i)}
          onKeyDown={(event) => {
            if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
            event.preventDefault();
            const next = i + (event.key === "ArrowRight" ? 1 : -1);
            const list = event.currentTarget.parentElement;
            show(next);
            (list?.children[(next + node.tabs.length) % node.tabs.length] as HTMLElement | undefined)?.focus();
          }}
        >
          {titleOf(viewOf(view))}
        </button>
      ))}
    </div>
  );
}

function Title(props: { pane: PaneBox }) {
  const { id, node, path, view } = props.pane;
  if (node.tabs.length > 1) return <Tabs pane={props.pane} />;
  // A link may show what is not offered here.
  const choices = views().includes(viewOf(view)) ? views() : [viewOf(view), ...views()];
  return (
    <select
      class="title"
      aria-label="View"
      title={viewOf(view).about ?? specOf(viewOf(view)).about}
      value={view}
      onChange={(event) => setDock(changeView(dock.value, path, event.currentTarget.value))}
    >
      {choices.map((one) => (
        <option key={one.name} value={one.name}>
          {(one.name === view ? one.titleIn?.(id) : undefined) ?? titleOf(one)}
        </option>
      ))}
    </select>
  );
}

/** Unlinks a pane from the window that all share, and links it again. */
function LinkToggle(props: { pane: string; title: string }) {
  const isOwn = ownWindows.value.has(props.pane);
  return (
    <IconButton
      class={`icon-button ${isOwn ? "unlinked" : "arrange"}`}
      label={`Window of its own: ${props.title}`}
      title={
        isOwn ? "Show the window of all panes again (L)" : "A window of its own: other panes no longer move it (L)"
      }
      testid="unlink"
      pressed={isOwn}
      onClick={() => toggleLinked(props.pane)}
    >
      <PinIcon />
    </IconButton>
  );
}

function Head(props: { pane: PaneBox }) {
  const { id, node, path, view } = props.pane;
  const described = viewOf(view);
  const { title, Sub, saysWindow, Controls } = described;
  const alone = panes(dock.value).length === 1 && node.tabs.length === 1;
  const action = (label: string, testid: string, run: () => void, icon: preact.JSX.Element, disabled = false) => (
    <IconButton
      class={`icon-button ${testid.startsWith("split") ? "arrange" : ""}`}
      label={`${label}: ${title}`}
      title={label}
      testid={testid}
      disabled={disabled}
      onClick={run}
    >
      {icon}
    </IconButton>
  );
  return (
    <div class="head">
      <Title pane={props.pane} />
      {Sub && !saysWindow && ownWindows.value.has(id) && (
        <HeadParts window={acrossIn(id, described)} parts={windowWords(id, described, "values").slice(0, 1)} />
      )}
      <span class="sub">
        {Sub ? <Sub pane={id} /> : <HeadParts window={acrossIn(id, described)} parts={windowWords(id, described)} />}
      </span>
      <span class="ctl">
        {Controls && <Controls pane={id} />}
        <span class="actions">
          {canUnlink(described) && <LinkToggle pane={id} title={title} />}
          <Menu
            label={`Add a tab to ${title}`}
            title="Add a tab"
            class="icon-button arrange"
            items={views().map((one) => ({ title: one.title, run: () => setDock(addTab(dock.value, path, one.name)) }))}
          >
            <PlusIcon />
          </Menu>
          {action(
            "Split right",
            "split-right",
            () => setDock(split(dock.value, path, "row", frontOf(node))),
            <SplitRightIcon />,
          )}
          {action(
            "Split down",
            "split-down",
            () => setDock(split(dock.value, path, "column", frontOf(node))),
            <SplitDownIcon />,
          )}
          {action(
            node.maximised ? "Restore" : "Maximise",
            "maximise",
            () => setDock(toggleMaximised(dock.value, path)),
            node.maximised ? <RestoreIcon /> : <MaximiseIcon />,
          )}
          {action("Close", "close-pane", () => setDock(closeTab(dock.value, path, node.front)), <CloseIcon />, alone)}
        </span>
      </span>
    </div>
  );
}

/** What lies over a picture: what the view itself puts there, else how far the analyses are that it waits for, or comes sooner by. */
function Cover(props: { view: View; pane: string }) {
  const { view, pane } = props;
  const { Over } = view;
  if (Over) return <Over pane={pane} />;
  const waitsFor = view.canWait ? [] : needsOf(view);
  return (
    <>
      {waitsFor.map((name) => (
        <AnalysisNotice key={name} name={name} />
      ))}
      {view.sooner?.().map((name) => (
        <SoonerNotice key={name} name={name} />
      ))}
    </>
  );
}

function DockPane(props: { pane: PaneBox }) {
  const { id, view, box } = props.pane;
  const focus = () => {
    focusedPane.value = id;
  };
  const several = boxes.value.panes.length > 1;
  const ordinal = /-(\d+)$/.exec(id)?.[1];
  const { Body, Key } = viewOf(view);
  return (
    <section
      class={`pane ${several && currentPane()?.id === id ? "current" : ""}`}
      data-pane={id}
      aria-label={ordinal === undefined ? viewOf(view).title : `${viewOf(view).title} ${ordinal}`}
      style={{ left: css(box.x), top: css(box.y), width: css(box.width), height: css(box.height) }}
      onPointerDown={focus}
      onFocusIn={focus}
    >
      <div class="frame">
        <Head pane={props.pane} />
        {Key && (
          <div class="pane-key">
            <Key pane={id} />
          </div>
        )}
        <div class="body">
          {Body ? <Body pane={id} /> : <Pane key={id} id={id} view={viewOf(view)} />}
          <EmptyNotice view={viewOf(view)} pane={id} />
          <Cover view={viewOf(view)} pane={id} />
        </div>
      </div>
    </section>
  );
}

function DockBorder(props: { splitter: Splitter; dockBox: () => DOMRect | undefined }) {
  const { splitter } = props;
  const { span, upright, shares } = splitter;
  const both = shares[0] + shares[1];
  const first = shares[0] / both;
  const middle = (from: Length, length: Length) =>
    css({ part: from.part + length.part * first, pixels: from.pixels + length.pixels * first });
  const at = upright
    ? { left: middle(span.x, span.width), top: css(span.y), height: css(span.height) }
    : { top: middle(span.y, span.height), left: css(span.x), width: css(span.width) };
  return (
    <Border
      upright={upright}
      label="Border between panes"
      style={at}
      now={Math.round(first * 100)}
      min={0}
      max={100}
      onMove={(event) => {
        const box = props.dockBox();
        if (!box) return;
        const inside = upright
          ? share(event.clientX - box.left, span.x, span.width, box.width)
          : share(event.clientY - box.top, span.y, span.height, box.height);
        setDock(resize(dock.value, splitter.path, splitter.index, inside * both), "live");
      }}
      onStep={(by) => setDock(resize(dock.value, splitter.path, splitter.index, shares[0] + by * 20), "live")}
    />
  );
}

/** Where a pixel of the dock is between the ends of a span. */
function share(at: number, from: Length, length: Length, whole: number): number {
  const pixels = (one: Length) => one.part * whole + one.pixels;
  return (at - pixels(from)) / Math.max(pixels(length), 1);
}

export function Dock() {
  const element = useRef<HTMLDivElement>(null);
  const dockBox = () => element.current?.getBoundingClientRect();
  const { panes: all, splitters } = boxes.value;
  const bars = [...new Set(inSight().flatMap(({ Bar }) => Bar ?? []))];
  return (
    <main class="dock" aria-label="Views">
      <FirstLayout />
      <div class="boxes" ref={element}>
        {all.map((pane) => (
          <DockPane key={pane.id} pane={pane} />
        ))}
        {splitters.map((splitter) => (
          <DockBorder key={splitter.id} splitter={splitter} dockBox={dockBox} />
        ))}
      </div>
      {bars.map((Bar) => (
        <Bar key={Bar.name} />
      ))}
    </main>
  );
}
