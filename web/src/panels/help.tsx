/** All keys, and what the mouse does, from the same list as the palette, so that the page cannot lie about its keys. */
import { capital } from "../base/words";
import { type Command, commands, dialog, version } from "../state/state";
import { Dialog } from "./dialog";
import { CloseIcon } from "./icons";
import { mouseHelp, spaceHelp } from "./mouse";
import { Keycaps } from "./palette";

const GROUPS: Command["group"][] = ["Move", "Select", "Find", "Panes", "Page"];

export function Help() {
  const keyed = commands.value.filter((command) => command.press);
  return (
    <Dialog label="Keyboard and mouse" testid="help" class="help">
      <header>
        <h2>Keyboard and mouse</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={() => (dialog.value = null)}>
          <CloseIcon />
        </button>
      </header>
      <div class="columns">
        {GROUPS.map((group) => {
          const own = keyed.filter((command) => command.group === group);
          if (own.length === 0) return null;
          return (
            <section key={group} aria-label={group}>
              <h3>{group}</h3>
              <dl>
                {own.map((command) => (
                  <div class="fact-row" key={command.title}>
                    <dt>{command.title}</dt>
                    <dd>
                      <Keycaps command={command} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
        <Gestures title="Mouse" list={mouseHelp()} />
        <Gestures title="In space" list={spaceHelp()} />
      </div>
      <p class="foot">On a Mac, use Cmd for Ctrl. Heddle {version.value}</p>
    </Dialog>
  );
}

function Gestures({ title, list }: { title: string; list: [gesture: string, does: string][] }) {
  if (list.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <dl>
        {list.map(([gesture, does]) => (
          <div class="fact-row" key={does}>
            <dt>{capital(does)}</dt>
            <dd>{gesture}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
