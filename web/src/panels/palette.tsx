/** The command palette: every command of the page by a few letters of its name. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Command, commands, dialog, keycaps } from "../state/state";
import { Dialog } from "./dialog";
import { filtered } from "./fuzzy";

export function Keycaps(props: { command: Command }) {
  const { press } = props.command;
  if (!press) return null;
  return (
    <span class="keycaps">
      {keycaps(press).map((name) => (
        <kbd key={name}>{name}</kbd>
      ))}
    </span>
  );
}

export function Palette() {
  const query = useSignal("");
  const chosen = useSignal(0);
  const list = useRef<HTMLDivElement>(null);
  const ready = commands.value.filter((command) => !command.keyOnly && (command.ready?.() ?? true));
  const found = filtered(query.value, ready, (command) => command.title);
  const at = Math.min(chosen.value, found.length - 1);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const run = (command: Command | undefined) => {
    if (!command) return;
    dialog.value = null;
    // After the dialog has closed and given the focus back: the command may want it elsewhere.
    setTimeout(command.run);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") chosen.value = Math.min(at + 1, found.length - 1);
    else if (event.key === "ArrowUp") chosen.value = Math.max(at - 1, 0);
    else if (event.key === "Enter") run(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Commands" testid="palette" class="palette">
      <input
        type="text"
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${at}` : undefined}
        placeholder="Type a command …"
        autocomplete="off"
        spellcheck={false}
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id="palette-list" role="listbox" aria-label="Commands">
        {found.map((command, i) => (
          <div
            key={command.title}
            id={`palette-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            onPointerMove={() => (chosen.value = i)}
            onClick={() => run(command)}
            onKeyDown={onKeyDown}
          >
            <span>{command.title}</span>
            <Keycaps command={command} />
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="nothing">No matching command.</p>}
    </Dialog>
  );
}
