/** Bars of each layer's utilisation by two kinds of traffic that people know, on the same machine by the same routes. */
import { printable } from "../../../base/format";
import { capital } from "../../../base/words";
import { option, setOptions } from "../../../state/state";
import { trafficOf } from "../network/data";
import { layerColour, layerWords } from "../network/layers";

/** Every rank sends as much in both: to its neighbours on a grid, or to all others. */
export const utilisedBy = [
  { pattern: "nearest", title: "nearest", told: trafficOf("nearest") },
  { pattern: "uniform", title: "uniform", told: trafficOf("uniform") },
] as const;

export function Utilised() {
  const all = utilisedBy.map(({ told, ...rest }) => ({ ...rest, layers: told.answer.value?.layers ?? [] }));
  const problem = utilisedBy.map(({ told }) => told.problem.value).find((one) => one !== null);
  const [first] = all;
  const most = Math.max(...all.flatMap(({ layers }) => layers.map(({ mean }) => mean)), Number.MIN_VALUE);
  return (
    <div class="utilised" data-testid="utilised">
      <p class="keys">
        {all.map(({ pattern, title }) => {
          const isShown = option("pattern") === pattern;
          return (
            <button
              key={pattern}
              type="button"
              class="link plain"
              aria-pressed={isShown}
              title={isShown ? "Show what the program sent again" : `Show ${title} traffic in all panes`}
              onClick={() => setOptions({ pattern: isShown ? "" : pattern, loads: null })}
            >
              <span class={`sw ${pattern}`} /> {title}
            </button>
          );
        })}
        <span class="quiet">mean of each layer, per cent {first?.layers[0]?.of}</span>
      </p>
      {problem !== undefined && problem !== null && <p class="hint">{printable(problem, 300)}</p>}
      <table class="bars" aria-label="Mean utilisation of each layer, by kind of traffic">
        <tbody>
          {(first?.layers ?? []).map(({ layer }, at) => (
            <tr key={layer}>
              {all.map(({ pattern, title, layers }) => {
                const one = layers[at];
                return (
                  <td key={pattern} class={pattern} title={one && `${capital(title)} traffic, ${layerWords(one)}`}>
                    <span class="value">{one?.mean_text.replace(" %", "")}</span>
                    <span class="bar" style={{ height: `${(100 * (one?.mean ?? 0)) / most}%` }} />
                  </td>
                );
              })}
              <th scope="row" style={{ borderColor: layerColour(layer) }}>
                {at === 0 ? `layer ${layer}` : layer}
              </th>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
