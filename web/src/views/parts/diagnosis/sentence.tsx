/** The verdict in one sentence, before what else stands out: a click leads to the layout Diagnosis. */
import { diagnosis, diagnosisTold, offeredLayouts } from "../../../state/state";
import { LinkButton } from "../controls";
import { Pieces } from "./pieces";
import { DIAGNOSIS_LAYOUT, showDiagnosis } from "./show";
import { Coming } from "./wrong";
import "./diagnosis.css";

export function FirstSentence() {
  const now = diagnosisTold.answer.value;
  if (!offeredLayouts().some(({ name }) => name === DIAGNOSIS_LAYOUT)) return null;
  if (now === null)
    return diagnosis.state.value?.state === "building" ? <Coming words="Looking for what is wrong" /> : null;
  return (
    <p class={`say first-sentence ${now.verdict === "faulty" ? "" : "calm"}`}>
      <button
        type="button"
        class="sentence"
        data-testid="first-sentence"
        title="Show who, since when, and what it costs, in the layout Diagnosis"
        onClick={showDiagnosis}
      >
        <Pieces text={now.headline} />
      </button>{" "}
      <LinkButton title="Who, since when, and what it costs" onClick={showDiagnosis}>
        Diagnosis
      </LinkButton>
    </p>
  );
}
