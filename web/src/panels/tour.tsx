/** The card of the tour: which stop, what to look at there, and the way on. It stands beside the data, never on it. */
import { useEffect, useRef } from "preact/hooks";
import { printable } from "../base/format";
import { pieces } from "../pane/words";
import {
  closeTour,
  goToStop,
  hasOwnEmphasis,
  hasWandered,
  moveStop,
  openTour,
  place,
  played,
  regionColour,
  regionIds,
  stopIndex,
  tour,
} from "../state/state";
import { IconButton } from "./icon-button";
import { CloseIcon, ReturnIcon, TourIcon } from "./icons";

/** Words with the names of functions in their colours. */
function Words(props: { text: string }) {
  return (
    <p>
      {pieces(props.text).map(({ text, isName }, i) => {
        const [region] = isName ? regionIds([text]) : [];
        const colour = region === undefined ? null : regionColour(region);
        if (!isName) return printable(text, 1000);
        return (
          <b key={`${i}${text}`}>
            {colour && <span class="sw" style={{ background: colour }} />}
            {printable(text, 80)}
          </b>
        );
      })}
    </p>
  );
}

function focusButton(ofNotes: boolean): void {
  document.querySelector<HTMLElement>(`[data-testid="${ofNotes ? "notes-play" : "tour-button"}"]`)?.focus();
}

/** Closes the card; the focus, if it was inside, goes to where the card is opened again. */
function close(card: HTMLElement | null): void {
  const inside = card?.contains(document.activeElement) ?? false;
  const ofNotes = place.value.note !== null;
  closeTour();
  if (inside) focusButton(ofNotes);
}

export function TourCard() {
  const card = useRef<HTMLElement>(null);
  const all = played.value;
  const index = stopIndex.value;
  const stop = all?.stops[index ?? -1];
  useEffect(() => {
    if (wanted && stop) card.current?.querySelector<HTMLElement>('[data-testid="tour-next"]')?.focus();
    wanted = false;
  });
  if (!all || index === null || !stop) return null;
  const isLast = index === all.stops.length - 1;
  const forward = () => (isLast ? close(card.current) : moveStop(1));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowRight") moveStop(1);
    else if (event.key === "ArrowLeft") moveStop(-1);
    else if (event.key === "Escape") close(card.current);
    else return;
    event.preventDefault();
  };
  return (
    <aside class="tour" aria-label="Tour" data-testid="tour" ref={card} onKeyDown={onKeyDown}>
      <section aria-label={`Stop ${index + 1} of ${all.stops.length}`}>
        <h2>
          <span class="label">{printable(all.title, 60)}</span>
          <span class="icons">
            <IconButton
              testid="tour-return"
              label="Return to this stop's view"
              disabled={!hasWandered.value}
              onClick={() => goToStop(index)}
            >
              <ReturnIcon />
            </IconButton>
            <IconButton
              testid="tour-close"
              label="Close the tour"
              title={hasOwnEmphasis.value ? "Close the tour" : "Close the tour (Esc)"}
              onClick={() => close(card.current)}
            >
              <CloseIcon />
            </IconButton>
          </span>
        </h2>
        <div class="moves">
          <button
            type="button"
            class="button"
            data-testid="tour-previous"
            // Not disabled: that would take the focus away from who goes back with the keyboard.
            aria-disabled={index === 0}
            onClick={() => moveStop(-1)}
          >
            Previous{" "}
            <span class="key" aria-hidden="true">
              P
            </span>
          </button>
          <span class="at" data-testid="tour-at">
            {index + 1} of {all.stops.length}
          </span>
          <button type="button" class="button strong" data-testid="tour-next" onClick={forward}>
            {isLast ? "Done" : "Next"}{" "}
            {!(isLast && hasOwnEmphasis.value) && (
              <span class="key" aria-hidden="true">
                {isLast ? "Esc" : "N"}
              </span>
            )}
          </button>
        </div>
        <div class="stop" aria-live="polite">
          <h3>{printable(stop.title, 80)}</h3>
          <Words text={stop.text} />
        </div>
      </section>
    </aside>
  );
}

/** Whether the card that opens should take the focus: it does when somebody asked for it, not when the page loads. */
let wanted = false;

/** Opens and closes the card, from the bar. */
export function TourButton() {
  if (!tour.value) return null;
  const isOpen = stopIndex.value !== null && place.value.note === null;
  return (
    <IconButton
      class="text-button"
      testid="tour-button"
      label="Tour"
      pressed={isOpen}
      title={isOpen ? "Close the tour" : "Open the tour of this case study"}
      onClick={() => {
        wanted = !isOpen;
        if (isOpen) closeTour();
        else openTour();
      }}
    >
      <TourIcon />
      <span>Tour</span>
    </IconButton>
  );
}
