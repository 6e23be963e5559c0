/** What a pane has to ask for as things are now. Reading it in an effect follows every change that matters. */
import {
  type Frame,
  isCloserKnown,
  lackOf,
  place,
  resultsOf,
  sceneBasis,
  sceneParams,
  trace,
  type ViewKind,
} from "../state/state";
import { type SceneRequest, sceneRequest } from "./loader";

export type Wanted =
  /** There is no trace yet. */
  | { kind: "nothing" }
  /** Nothing can be drawn before something else is there, which may be on its way. */
  | { kind: "wait"; isComing: boolean; results: string }
  /** A picture, of any size. */
  | { kind: "scene"; trace: string; request: (width: number, height: number) => SceneRequest };

/** What the pane of an id asks for. */
export function wantedOf(pane: string, view: ViewKind, frame: Frame): Wanted {
  const info = trace.value;
  const params = sceneParams(frame, view, pane);
  const lack = lackOf(view);
  const lacksWindow = view.source.closer === true && !isCloserKnown.value;
  const mustWait = frame !== "strip" && (lack?.mustWait === true || lacksWindow);
  const [results, basis] = [resultsOf(view), sceneBasis(view)];
  if (info === null || info.id !== place.value.trace) return { kind: "nothing" };
  if (mustWait) return { kind: "wait", isComing: lacksWindow || lack?.isComing === true, results };
  const request = (width: number, height: number) => {
    params.set("width", String(width));
    params.set("height", String(height));
    return sceneRequest(info.id, view.source.view, params, { results, basis });
  };
  return { kind: "scene", trace: info.id, request };
}
