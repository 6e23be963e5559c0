/** Words beside the title of a pane, in parts: those for which there is no room go as a whole, from the last. */
export function HeadParts(props: { parts: readonly string[] }) {
  return (
    <span class="parts" title={props.parts.join(" · ")}>
      {props.parts.map((part) => (
        <span key={part}>{part}</span>
      ))}
    </span>
  );
}
