/**
 * Gets the scenes of a pane: one request at a time, the newest next, decoded and checked when it arrives.
 */
import { fetchScene, ServerGone } from "../api/client";
import { Latest } from "../base/latest";
import type { Scene } from "../scene/types";

/** How long a request that has been overtaken may still finish. */
const PATIENCE_MS = 150;

export interface SceneRequest {
  trace: string;
  view: string;
  /** With width and height. */
  params: URLSearchParams;
  /** Equal for requests that get the same scene. */
  key: string;
  /** Scenes of another scope are of no use while this one is wanted, not even moved. */
  scope: string;
  /** What decides the results that it shows. */
  results: string;
}

export interface LoadedScene<S extends Scene = Scene> {
  request: SceneRequest;
  scene: S;
  /** When it was asked for. */
  askedAt: number;
  bytes: number;
}

/** Why there is no new scene, in words for a person. */
export interface Failure {
  title: string;
  text: string;
}

/** `results` decide what it is drawn from, `basis` what else it may show. */
export function sceneRequest(
  trace: string,
  view: string,
  params: URLSearchParams,
  { results, basis }: { results: string; basis: string },
): SceneRequest {
  const part = (name: string) => params.get(name) ?? "";
  const scope = [trace, view, part("theme"), part("ranks"), part("main"), results].join("\n");
  return { trace, view, params, key: [trace, view, params, basis].join("\n"), scope, results };
}

export class SceneLoader<S extends Scene = Scene> {
  private wanted: SceneRequest | null = null;
  private readonly latest: Latest<SceneRequest, LoadedScene<S>>;

  constructor(
    hooks: { loaded(scene: LoadedScene<S>): void; failed(failure: Failure): void },
    decode: (buffer: ArrayBuffer) => S,
  ) {
    this.latest = new Latest(
      {
        ask: (request, signal) => load(request, decode, signal),
        answered: (_, loaded) => hooks.loaded(loaded),
        failed: (_, error) => hooks.failed(explain(error)),
      },
      PATIENCE_MS,
    );
  }

  get busy(): boolean {
    return this.latest.busy;
  }

  /** Says which scene is wanted now. Returns whether that is another one than before. */
  want(request: SceneRequest | null): boolean {
    if (request?.key === this.wanted?.key) return false;
    const isUrgent = request?.scope !== this.wanted?.scope;
    this.wanted = request;
    if (request === null) this.latest.cancel();
    else this.latest.want(request, isUrgent);
    return true;
  }

  /** The scene that is wanted now. */
  get current(): SceneRequest | null {
    return this.wanted;
  }

  /** Whether a scene is the one that is wanted now. */
  isCurrent(loaded: LoadedScene<S>): boolean {
    return loaded.request.key === this.wanted?.key;
  }

  /** Asks again for what is wanted. */
  retry(): void {
    if (this.wanted !== null) this.latest.want(this.wanted, true);
  }

  dispose(): void {
    this.wanted = null;
    this.latest.cancel();
  }
}

async function load<S extends Scene>(
  request: SceneRequest,
  decode: (buffer: ArrayBuffer) => S,
  signal: AbortSignal,
): Promise<LoadedScene<S>> {
  const askedAt = performance.now();
  const buffer = await fetchScene(request.trace, request.view, request.params, signal);
  return { request, scene: decode(buffer), askedAt, bytes: buffer.byteLength };
}

/** An error in words for a person. */
export function explain(error: unknown): Failure {
  if (error instanceof ServerGone) {
    return {
      title: "The server is gone",
      text: "Heddle no longer answers. If it was stopped, start it again; what you see may be out of date.",
    };
  }
  return { title: "This view cannot be drawn", text: error instanceof Error ? error.message : String(error) };
}
