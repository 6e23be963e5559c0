/**
 * What windows without room for both sides have instead: tabs over the one column that the sides share, or a bar with the
 * layouts and the ways to the two sides, which then lie over the views. `shell.css` says when which is shown.
 */
import { printable } from "../base/format";
import { IconButton } from "../panels/icon-button";
import { CloseIcon, DetailsIcon, KeyIcon } from "../panels/icons";
import { details, drawerOpen, go, hasDiagnosis, layoutNow, offeredLayouts, place, sideInFront } from "../state/state";
import { closeDrawer, openDrawer } from "./sides";

type SideName = "trace" | "details";
const TITLES: Record<SideName, string> = { trace: "Key and filters", details: "Details" };

/** Which of the two sides stands in the one column. */
export function SideTabs() {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    event.preventDefault();
    sideInFront.value = sideInFront.value === "trace" ? "details" : "trace";
    document.getElementById(`tab-${sideInFront.value}`)?.focus();
  };
  return (
    <div class="side-tabs" role="tablist" aria-label="Sides">
      {(["trace", "details"] as const).map((side) => (
        <button
          key={side}
          type="button"
          role="tab"
          id={`tab-${side}`}
          aria-controls={`side-${side}`}
          aria-selected={sideInFront.value === side}
          tabIndex={sideInFront.value === side ? 0 : -1}
          onClick={() => (sideInFront.value = side)}
          onKeyDown={onKeyDown}
        >
          {TITLES[side]}
        </button>
      ))}
    </div>
  );
}

/** The name of a drawer, and the way out of it. */
export function DrawerHead(props: { side: SideName }) {
  return (
    <div class="drawer-head">
      <b>{TITLES[props.side]}</b>
      <IconButton class="icon-button drawer-close" label="Close" title="Close (Esc)" onClick={closeDrawer}>
        <CloseIcon />
      </IconButton>
    </div>
  );
}

/** Lies between the views and a drawer; a press on it closes the drawer. */
export function Backdrop() {
  if (!drawerOpen.value) return null;
  return <div class="backdrop" data-testid="backdrop" aria-hidden="true" onPointerDown={closeDrawer} />;
}

function LayoutSelect() {
  const all = offeredLayouts();
  const current = layoutNow();
  return (
    <select
      class="boxed"
      aria-label="Layout"
      data-testid="layout-select"
      value={current}
      onChange={(event) => go({ layout: event.currentTarget.value }, "push")}
    >
      {all.map(({ name, title }) => (
        <option key={name} value={name}>
          {title}
        </option>
      ))}
      {!all.some(({ name }) => name === current) && <option value={current}>Own layout</option>}
    </select>
  );
}

/** What the details are about: the selection, or what stands out. */
function detailsTitle(): string {
  if (hasDiagnosis.value) return "What is wrong";
  if (place.value.selected === null) return "What stands out";
  return printable(details.answer.value?.title ?? "Selection", 40);
}

export function NarrowBar() {
  const isOpen = (side: SideName) => drawerOpen.value && sideInFront.value === side;
  const title = detailsTitle();
  return (
    <div class="narrow-bar" data-testid="narrow-bar">
      <button
        type="button"
        class="button"
        data-testid="open-trace"
        aria-expanded={isOpen("trace")}
        onClick={() => openDrawer("trace")}
      >
        <KeyIcon />
        {TITLES.trace}
      </button>
      <LayoutSelect />
      <button
        type="button"
        class="button"
        data-testid="open-details"
        aria-expanded={isOpen("details")}
        title={title}
        onClick={() => openDrawer("details")}
      >
        <DetailsIcon />
        <span class="label">{title}</span>
      </button>
    </div>
  );
}
