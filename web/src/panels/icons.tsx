/** The few signs of the page, drawn with the colour of the text around them. Buttons name them; they are hidden from readers. */
import type { ComponentChildren } from "preact";

function Icon(props: { children: ComponentChildren }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {props.children}
    </svg>
  );
}

/** Threads of a warp, held apart by a heddle's eye, and one weft through them. */
export function Logo() {
  return (
    <svg class="mark" viewBox="0 0 18 18" aria-hidden="true" focusable="false">
      <path class="warp" d="M2.5 1.5v15M6.8 1.5v4.2M6.8 9.3v7.2M11.2 1.5v7.2M11.2 12.3v4.2M15.5 1.5v15" />
      <circle class="warp" cx="6.8" cy="7.5" r="1.8" />
      <circle class="warp" cx="11.2" cy="10.5" r="1.8" />
      <path class="weft" d="M.5 7.5h6.3c2.4 0 2 3 4.4 3h6.3" />
    </svg>
  );
}

/** A pane cut in two. */
function splitPane(d: string) {
  return () => (
    <Icon>
      <rect x="2.5" y="3" width="11" height="10" rx="1.5" />
      <path d={d} />
    </Icon>
  );
}

export const SplitRightIcon = splitPane("M8 3v10");
export const SplitDownIcon = splitPane("M2.5 8h11");

/** A sign of one stroke. */
function stroke(d: string) {
  return () => (
    <Icon>
      <path d={d} />
    </Icon>
  );
}

export const MaximiseIcon = stroke("M9.5 2.5h4v4M13.2 2.8 9 7M6.5 13.5h-4v-4M2.8 13.2 7 9");
export const RestoreIcon = stroke("M13.5 6.5h-4v-4M9.8 6.2l3.7-3.7M2.5 9.5h4v4M6.2 9.8l-3.7 3.7");
export const CloseIcon = stroke("m4 4 8 8M12 4l-8 8");
export const PinIcon = stroke("M5.8 2.5h4.4M6.6 2.5v4L4.8 9h6.4L9.4 6.5v-4M8 9v4.5");
export const PlusIcon = stroke("M8 3.5v9M3.5 8h9");
export const LinkIcon = stroke(
  "M6.8 9.2a2.4 2.4 0 0 0 3.4 0l2.3-2.3a2.4 2.4 0 0 0-3.4-3.4l-.8.8M9.2 6.8a2.4 2.4 0 0 0-3.4 0L3.5 9.1a2.4 2.4 0 0 0 3.4 3.4l.8-.8",
);
export const FigureIcon = stroke("M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13.5h10");
export const UndoIcon = stroke("M5.5 3 2.7 5.8l2.8 2.8M3 5.8h6.2a3.6 3.6 0 0 1 0 7.2H6");
export const RedoIcon = stroke("m10.5 3 2.8 2.8-2.8 2.8M13 5.8H6.8a3.6 3.6 0 0 0 0 7.2H10");
export const ReturnIcon = stroke("M3 3.2v3.4h3.4M3.3 6.4A5 5 0 1 1 3 8.6");
export const UpIcon = stroke("M8 12.5v-9M4.5 7 8 3.5 11.5 7");
export const DownIcon = stroke("M8 3.5v9M4.5 9 8 12.5 11.5 9");
export const EditIcon = stroke("m3 13 .6-2.8 6.9-6.9 2.2 2.2-6.9 6.9zM9.2 4.6l2.2 2.2");
export const TrashIcon = stroke("M3 4.5h10M6.3 4.5v-2h3.4v2M4.4 4.5l.6 9h6l.6-9M6.8 7v4M9.2 7v4");
export const ThemeIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="5.2" />
    <path class="solid" d="M8 2.8a5.2 5.2 0 0 1 0 10.4z" />
  </Icon>
);
export const TourIcon = () => (
  <Icon>
    <circle cx="3.8" cy="12.2" r="1.6" />
    <circle cx="12.2" cy="3.8" r="1.6" />
    <path d="M5.4 12.2h4.2a2.1 2.1 0 0 0 0-4.2H6.4a2.1 2.1 0 0 1 0-4.2h4.2" />
  </Icon>
);
export const EyeIcon = (props: { shut: boolean }) => (
  <Icon>
    <path d="M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8z" />
    {props.shut ? <path d="m3 13 10-10" /> : <circle cx="8" cy="8" r="1.8" />}
  </Icon>
);

/** Colours and their names. */
export const KeyIcon = () => (
  <Icon>
    <rect x="2" y="3" width="3.4" height="3.4" rx=".8" class="solid" />
    <rect x="2" y="9.6" width="3.4" height="3.4" rx=".8" />
    <path d="M8 4.7h6M8 11.3h6" />
  </Icon>
);
/** Lines that a finger points at. */
export const DetailsIcon = () => (
  <Icon>
    <path d="M2 4.5h2.2M7 4.5h7M2 8h2.2M7 8h7M2 11.5h2.2M7 11.5h4" />
  </Icon>
);
