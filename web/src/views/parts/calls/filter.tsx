/** Which calls are left out of the call view: by duration, bytes and communicator. Ranks and functions have panels of their own. */
import type { OptionName } from "../../../api/options";
import { printable } from "../../../base/format";
import { BYTES, DURATIONS, parseRange, type Quantity, rangeWords } from "../../../base/ranges";
import { greatest, option, setOptions, trace } from "../../../state/state";
import { ResetLink, Select } from "../controls";
import { DraftField } from "../draft";
import { Panel } from "../panel";

/** The options that leave calls out. */
export const CALL_FILTERS = ["durations", "bytes", "communicator"] as const satisfies readonly OptionName[];

function RangeField(props: { name: "durations" | "bytes"; what: string; label: string; quantity: Quantity }) {
  const { name, what, quantity } = props;
  const range = option(name);
  return (
    <DraftField
      label={props.label}
      problemId={`${what}-problem`}
      before={<span class="what">{what}</span>}
      placeholder={quantity.range.replace(/,.*/, "").replace("-", "–")}
      title={`A range, such as ${quantity.range.replaceAll("-", "–")}`}
      applied={range === null ? "" : rangeWords(range, quantity, greatest(name))}
      apply={(text) => {
        const read = parseRange(text, quantity, greatest(name));
        if (typeof read === "string") return read;
        setOptions({ [name]: read });
        return null;
      }}
    />
  );
}

function OfCommunicator() {
  const known = trace.value?.communicators ?? [];
  if (known.length === 0) return null;
  const choices = known.map((one) => ({ value: String(one.id), label: printable(one.name, 60) }));
  return (
    <div class="field">
      <span class="what">within</span>
      <Select
        class="boxed"
        label="Only calls in this communicator"
        value={String(option("communicator") ?? "")}
        choices={[{ value: "", label: "any communicator" }, ...choices]}
        onChange={(value) => setOptions({ communicator: value === "" ? null : Number(value) })}
      />
    </div>
  );
}

export function CallFilter() {
  return (
    <Panel
      title="Only calls with"
      testid="call-filter"
      beside={
        <ResetLink names={CALL_FILTERS} plain>
          all
        </ResetLink>
      }
    >
      <RangeField name="durations" what="duration" label="Only calls of this duration" quantity={DURATIONS} />
      <RangeField name="bytes" what="message" label="Only calls with this many bytes" quantity={BYTES} />
      <OfCommunicator />
    </Panel>
  );
}
