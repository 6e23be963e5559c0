/** What the pane of a fat-tree that was last used draws, and what colour, size, shape and height stand for in it. */
import { OPTIONS } from "../../../api/options";
import { option, optionIn, setOptions, setOptionsIn, wordsOf } from "../../../state/state";
import { helpOf, OptionSelect, Select, Toggle, type WordName } from "../controls";
import { DraftField } from "../draft";
import { Panel } from "../panel";
import { shownAs, treePane } from "./panes";
import { isCompact, isFlat, REPRESENTATIONS, representationOf } from "./representations";

/** The words of an option that a pane has for itself. */
function OwnSelect<N extends WordName>(props: { pane: string; name: N; words?: Partial<Record<string, string>> }) {
  const { pane, name, words } = props;
  return (
    <div class="field">
      <span class="what">{OPTIONS[name].title}</span>
      <Select<string>
        class="boxed"
        label={OPTIONS[name].title}
        title={helpOf(name)}
        value={optionIn(pane, name)}
        choices={wordsOf(name).map((one) => ({ value: one, label: words?.[one] ?? one }))}
        onChange={(value) => setOptionsIn(pane, { [name]: value })}
      />
    </div>
  );
}

export function DrawnPanel() {
  const pane = treePane();
  if (pane === null) return null;
  const as = representationOf(pane);
  return (
    <Panel
      title="Picture"
      testid="drawn"
      beside={<span class="plain">{REPRESENTATIONS.find(({ name }) => name === as)?.label ?? as}</span>}
    >
      <div class="field">
        <span class="what">Switches by</span>
        <OptionSelect class="boxed" name="switches" label="Switches by" words={{ "busiest-link": "busiest link" }} />
      </div>
      {isCompact(as) && <OwnSelect pane={pane} name="size-by" />}
      {isCompact(as) && <OwnSelect pane={pane} name="shape-by" />}
      {isFlat(as) && <OwnSelect pane={pane} name="height-by" />}
      <OwnSelect pane={pane} name="wires" words={{ "": "as usual" }} />
      <Toggle
        class="option"
        label="Network cards"
        title={helpOf("nics")}
        on={optionIn(pane, "nics")}
        onChange={(nics) => setOptionsIn(pane, { nics })}
      />
      {isCompact(as) && (
        <div class="field">
          <span class="what">Own cells</span>
          <DraftField
            label="File of generators"
            placeholder="a file"
            fieldClass="grows"
            title={helpOf("cells")}
            applied={option("cells")}
            apply={(text) => {
              setOptions({ cells: text.trim() });
              setOptionsIn(pane, shownAs(text.trim() === "" ? "ht" : "cells"));
              return null;
            }}
          />
        </div>
      )}
    </Panel>
  );
}
