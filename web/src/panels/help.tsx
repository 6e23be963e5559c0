/** All keys and hands, from the same list as the palette, so that the page cannot lie about its keys. */
import { version } from "../state/state";
import { type Command, commands } from "./commands";
import { HANDS } from "./details";
import { Dialog } from "./dialog";
import { CloseIcon } from "./icons";
import { Keycaps } from "./palette";
import { dialog } from "./ui";

const GROUPS: Command["group"][] = ["Move", "Select", "Find", "Panes", "Page"];

export function Help() {
  const keyed = commands.value.filter((command) => command.press);
  return (
    <Dialog label="Keys" testid="help" class="help">
      <header>
        <h2>Keys and hands</h2>
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
        <section aria-label="Hands">
          <h3>Hands</h3>
          <dl>
            {HANDS.map(([hand, does]) => (
              <div class="fact-row" key={hand}>
                <dt>{does}</dt>
                <dd>{hand}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
      <p class="foot">On a Mac, Cmd is as good as Ctrl. Heddle {version.value}</p>
    </Dialog>
  );
}
