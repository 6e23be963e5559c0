/** The bar on top: which trace, which layout, search, and what one does with the picture. */
import { formatCount, formatDuration, printable } from "../base/format";
import { FigureIcon, LinkIcon, Logo, RedoIcon, ThemeIcon, UndoIcon } from "../panels/icons";
import { Menu } from "../panels/menu";
import { Search } from "../panels/search";
import { TourButton } from "../panels/tour";
import { dialog } from "../panels/ui";
import { canRedo, canUndo, go, openTrace, place, redo, theme, toggleTheme, trace, traces, undo } from "../state/state";
import { copyLink } from "./commands";
import { dock, layouts } from "./dock-state";
import { writeDock } from "./dock-tree";
import { saveFigure } from "./figure";

export function Brand() {
  return (
    <span class="logo">
      <Logo />
      Heddle
    </span>
  );
}

export function TraceSelect() {
  const name = printable(trace.value?.name ?? "", 60);
  if (traces.value.length < 2) return <b title={name}>{name}</b>;
  return (
    <select
      class="title"
      data-testid="trace-select"
      aria-label="Trace"
      value={place.value.trace}
      onChange={(event) => openTrace(event.currentTarget.value)}
    >
      {traces.value.map((one) => (
        <option key={one.id} value={one.id}>
          {printable(one.name, 60)}
          {one.state === "ready" ? "" : ` (${one.state})`}
        </option>
      ))}
    </select>
  );
}

function TraceFacts() {
  const info = trace.value;
  if (!info) return null;
  const rows = info.has_ranks
    ? `${formatCount(info.ranks)} ${info.ranks === 1 ? "rank" : "ranks"}`
    : `${formatCount(info.rows)} locations`;
  return (
    <span class="facts">
      {" · "}
      {rows} · {formatCount(info.spans)} spans · {shortDuration(Number(info.end_ns))}
    </span>
  );
}

/** Three digits are enough for the length of a run. */
function shortDuration(ns: number): string {
  const [value = "", unit = ""] = formatDuration(ns).split(" ");
  const number = Number(value.replaceAll(",", ""));
  return number < 1000 ? `${Number.parseFloat(number.toPrecision(3))} ${unit}` : `${value} ${unit}`;
}

function LayoutTabs() {
  const all = layouts();
  const current = writeDock(dock.value);
  const own = !all.some(({ name }) => name === current);
  return (
    <nav class="tabs" aria-label="Layouts">
      {all.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          aria-current={name === current ? "true" : undefined}
          class={name === current ? "on" : ""}
          onClick={() => go({ layout: name }, "push")}
        >
          {title}
        </button>
      ))}
      {own && (
        <span class="on" title="Your own arrangement; it is in the link">
          Own
        </span>
      )}
    </nav>
  );
}

export function Header() {
  return (
    <header class="bar">
      <Brand />
      <h1 class="trace">
        <TraceSelect />
        <TraceFacts />
      </h1>
      <LayoutTabs />
      <Search />
      <div class="icons">
        <TourButton />
        <button
          type="button"
          class="icon-button"
          data-testid="undo"
          aria-label="Undo"
          title="Undo (Ctrl-Z, or the browser's Back)"
          disabled={!canUndo.value}
          onClick={undo}
        >
          <UndoIcon />
        </button>
        <button
          type="button"
          class="icon-button"
          data-testid="redo"
          aria-label="Redo"
          title="Redo (Ctrl-Shift-Z)"
          disabled={!canRedo.value}
          onClick={redo}
        >
          <RedoIcon />
        </button>
        <button
          type="button"
          class="text-button"
          data-testid="link"
          aria-label="Link"
          title="Copy a link to this picture, without the token"
          onClick={copyLink}
        >
          <LinkIcon />
          <span>Link</span>
        </button>
        <Menu
          label="Figure"
          title="The current pane as a figure"
          class="text-button"
          testid="figure"
          items={[
            { title: "PNG", detail: "pixels, as on the page", run: () => saveFigure("png") },
            { title: "SVG", detail: "for editing", run: () => saveFigure("svg") },
            { title: "PDF", detail: "for papers", run: () => saveFigure("pdf") },
          ]}
        >
          <FigureIcon />
          <span>Figure</span>
        </Menu>
        <button
          type="button"
          class="icon-button"
          data-testid="theme"
          aria-label={theme.value === "dark" ? "Light theme" : "Dark theme"}
          title="Light or dark (T)"
          onClick={toggleTheme}
        >
          <ThemeIcon />
        </button>
        <button
          type="button"
          class="key-button"
          aria-label="Keys"
          title="All keys (?)"
          onClick={() => (dialog.value = "help")}
        >
          <kbd>?</kbd>
        </button>
      </div>
    </header>
  );
}
