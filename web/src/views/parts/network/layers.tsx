/** Layers of a tree, or classes of links, with how much of what they could carry they did carry; a click selects a layer's switches. */
import type { LayerTold } from "../../../api/types";
import { formatCount } from "../../../base/format";
import { capital } from "../../../base/words";
import { drawn, go, place } from "../../../state/state";
import { Panel, PickRow } from "../panel";
import { told } from "./data";

/** The colour of a layer, as pictures of the tree last named it. */
export function layerColour(layer: number): string {
  const legends = [...drawn.value.values()].flatMap(({ legend }) => legend ?? []);
  return legends.find(({ name }) => name === `layer ${layer}`)?.colour ?? "var(--ink-3)";
}

/** What there is to know of a layer, in a line. */
export function layerWords({ layer, switches, mean_text, max_text, idle, reached, of }: LayerTold): string {
  const parts = [
    `layer ${layer}: ${mean_text} ${of} on average, at most ${max_text}`,
    idle > 0 ? `${formatCount(idle)} of ${formatCount(switches)} switches idle` : "",
    reached === null ? "" : `${(reached * 100).toFixed(1)} % of all bytes come up to it`,
  ];
  return capital(parts.filter((part) => part !== "").join("; "));
}

export function LayersPanel() {
  const layers = told.value?.layers ?? [];
  if (layers.length === 0) return null;
  const most = Math.max(...layers.map(({ mean }) => mean), Number.MIN_VALUE);
  return (
    <Panel title="Layers" testid="layers" beside={<span class="plain">mean utilisation</span>}>
      <ul>
        {layers.toReversed().map((one) => (
          <PickRow
            key={one.layer}
            on={place.value.selected === one.select}
            testid="layer"
            data={{ "data-layer": one.layer }}
            class="layer"
            title={`${layerWords(one)}. Select its switches`}
            onClick={() => go({ selected: place.value.selected === one.select ? null : one.select }, "push")}
          >
            <span class="sw" style={{ background: layerColour(one.layer) }} />
            <span class="label">Layer {one.layer}</span>
            <span class="track" aria-hidden="true">
              <span style={{ width: `${(100 * one.mean) / most}%` }} />
            </span>
            <span class="n">{one.mean_text}</span>
          </PickRow>
        ))}
      </ul>
    </Panel>
  );
}
