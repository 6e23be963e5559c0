/** The bar on top: which trace, which layout, search, and what one does with the picture. */
import { formatCount, formatDuration, plural, printable } from "../base/format";
import { IconButton } from "../panels/icon-button";
import { FigureIcon, LinkIcon, Logo, RedoIcon, ThemeIcon, UndoIcon } from "../panels/icons";
import { Menu } from "../panels/menu";
import { Search } from "../panels/search";
import { TourButton } from "../panels/tour";
import {
  canRedo,
  canUndo,
  dialog,
  layoutNow,
  offeredLayouts,
  openTrace,
  place,
  redo,
  showLayout,
  theme,
  toggleTheme,
  trace,
  traces,
  undo,
} from "../state/state";
import { copyLink } from "./commands";
import { saveFigure, showFigureDialog } from "./figure";

export function Brand() {
  return (
    <span class="logo">
      <Logo />
      <span>Heddle</span>
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
      title={name}
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
  if (info.spans === "0" && info.network) {
    const { sizes, nodes, links } = info.network;
    return (
      <span class="facts">
        {" · "}
        {sizes} torus · {formatCount(nodes)} nodes · {formatCount(links)} links measured
      </span>
    );
  }
  const rows = info.has_ranks
    ? `${formatCount(info.ranks)} ${plural(info.ranks, "rank")}`
    : `${formatCount(info.rows)} ${plural(info.rows, "location")}`;
  const { tasks = "0", workers = 0 } = info;
  if (tasks !== "0") {
    const nodes = `${formatCount(info.ranks)} ${plural(info.ranks, "node")}`;
    return (
      <span class="facts">
        {" · "}
        {info.has_ranks ? `${nodes} · ` : ""}
        {formatCount(workers)} {plural(workers, "worker")} · {formatCount(tasks)} {plural(tasks, "task")} ·{" "}
        {formatDuration(Number(info.end_ns))}
      </span>
    );
  }
  return (
    <span class="facts">
      {" · "}
      {rows} · {formatCount(info.spans)} spans · {formatDuration(Number(info.end_ns))}
    </span>
  );
}

function LayoutTabs() {
  const all = offeredLayouts();
  const current = layoutNow();
  const own = !all.some(({ name }) => name === current);
  return (
    <nav class="tabs" aria-label="Layouts">
      {all.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          aria-current={name === current ? "true" : undefined}
          class={name === current ? "on" : ""}
          onClick={() => showLayout(name)}
        >
          {title}
        </button>
      ))}
      {own && (
        <span class="on" title="Your own layout; links keep it">
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
        <IconButton
          class="icon-button history"
          label="Undo"
          title="Undo (Ctrl-Z, or the browser's Back)"
          testid="undo"
          disabled={!canUndo.value}
          onClick={undo}
        >
          <UndoIcon />
        </IconButton>
        <IconButton
          class="icon-button history"
          label="Redo"
          title="Redo (Ctrl-Shift-Z)"
          testid="redo"
          disabled={!canRedo.value}
          onClick={redo}
        >
          <RedoIcon />
        </IconButton>
        <IconButton
          class="text-button"
          label="Link"
          title="Copy a link to this picture, without the token"
          testid="link"
          onClick={copyLink}
        >
          <LinkIcon />
          <span>Link</span>
        </IconButton>
        <Menu
          label="Figure"
          title="The current pane as a figure"
          class="text-button"
          testid="figure"
          items={[
            { title: "PNG", detail: "pixels, as on the page", run: () => saveFigure("png") },
            { title: "SVG", detail: "for editing", run: () => saveFigure("svg") },
            { title: "PDF", detail: "shapes, at the size of the pane", run: () => saveFigure("pdf") },
            { title: "For a paper …", detail: "width in mm, size of text", run: showFigureDialog },
          ]}
        >
          <FigureIcon />
          <span>Figure</span>
        </Menu>
        <IconButton
          label={theme.value === "dark" ? "Light theme" : "Dark theme"}
          title="Light or dark (T)"
          testid="theme"
          onClick={toggleTheme}
        >
          <ThemeIcon />
        </IconButton>
        <IconButton
          class="key-button"
          label="Keyboard and mouse"
          title="Keyboard and mouse (?)"
          onClick={() => (dialog.value = "help")}
        >
          <kbd>?</kbd>
        </IconButton>
      </div>
    </header>
  );
}
