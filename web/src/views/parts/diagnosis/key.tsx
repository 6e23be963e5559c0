/** What colours of who waits for whom mean, in the head of a pane. */

const COLOURS = [
  ["makes", "makes others wait"],
  ["waits", "waits"],
  ["own", "communication"],
  ["useful", "useful"],
] as const;

/** `brief` has the two that matter most, where words need the room. */
export function BlameKey(props: { brief?: boolean }) {
  return (
    <>
      {COLOURS.slice(0, props.brief === true ? 2 : undefined).map(([name, words]) => (
        <span class="lg" key={name}>
          <span class={`sw ${name}`} />
          {words}
        </span>
      ))}
    </>
  );
}
