/**
 * The one place that talks to the server.
 *
 * Every call takes an `AbortSignal`, so that a newer question gives up an older one. Three things can go wrong, and they
 * are told apart because people must do different things about them: the server said no (`ApiError`, with a sentence for
 * a person), the server cannot be reached (`ServerGone`), or we gave up ourselves (the browser's `AbortError`).
 */
import type { AnalysisName } from "./options";
import type { Selection } from "./selection";
import type {
  AnalysisState,
  Brushed,
  Cause,
  Details,
  DiagnosisTold,
  EfficiencyTold,
  Findings,
  Hits,
  Largest,
  NetworkTold,
  Note,
  NotesTold,
  Phases,
  Picked,
  Profile,
  ProgressTold,
  StepsTime,
  Target,
  Tour,
  TraceInfo,
  Traces,
} from "./types";

const BASE = "/api/v1";

/** The server refused; `message` is its own sentence. */
export class ApiError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

/** The server did not answer at all. */
export class ServerGone extends Error {
  constructor() {
    super("The Heddle server does not answer.");
    this.name = "ServerGone";
  }
}

/** Whether an error only says that we gave up ourselves. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** How a request ended: answered in any way, refused for want of a session, or not at all. */
export type Outcome = "answered" | "locked" | "gone";
let listener: (outcome: Outcome) => void = () => {};

/** Tells one listener after each request how it ended. `state/` turns it into signals. */
export function onOutcome(tell: (outcome: Outcome) => void): void {
  listener = tell;
}

/** What the server answers about a trace that it can no longer read. */
const LOST = 422;
let lost: (path: string, why: string) => void = () => {};

/** Tells one listener of requests about a trace that the server can no longer read, with its sentence. */
export function onLost(tell: (path: string, why: string) => void): void {
  lost = tell;
}

async function request(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(BASE + path, { credentials: "same-origin", cache: "no-store", ...init });
  } catch (error) {
    if (isAbort(error)) throw error;
    listener("gone");
    throw new ServerGone();
  }
  listener(response.status === 401 ? "locked" : "answered");
  if (response.ok) return response;
  const error = new ApiError(response.status, await sentence(response));
  if (error.status === LOST) lost(path, error.message);
  throw error;
}

/** The server's own sentence about an error, or one of ours when the body is not what was agreed. */
async function sentence(response: Response): Promise<string> {
  try {
    const body: unknown = await response.json();
    if (typeof body === "object" && body !== null && "error" in body && typeof body.error === "string")
      return body.error;
  } catch (error) {
    if (isAbort(error)) throw error;
  }
  return `The server answered with status ${response.status}.`;
}

/** Reads a body; a connection that breaks in the middle counts as a server that is gone. */
async function body<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (isAbort(error)) throw error;
    listener("gone");
    throw new ServerGone();
  }
}

async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await request(path, { signal: signal ?? null });
  return body(response.json() as Promise<T>);
}

function tracePath(trace: string, rest: string, params?: URLSearchParams): string {
  const query = params?.toString() ?? "";
  return `/traces/${encodeURIComponent(trace)}${rest}${query === "" ? "" : `?${query}`}`;
}

/** Exchanges the token of the printed URL for a cookie. */
export async function openSession(token: string): Promise<void> {
  await request("/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
}

export function fetchTraces(signal?: AbortSignal): Promise<Traces> {
  return getJson("/traces", signal);
}

/** null: the server has none. */
export function fetchTour(signal?: AbortSignal): Promise<Tour | null> {
  return getJson("/tour", signal);
}

export async function cancelImport(trace: string): Promise<void> {
  await request(tracePath(trace, "/cancel"), { method: "POST" });
}

export function fetchTrace(trace: string, signal?: AbortSignal): Promise<TraceInfo> {
  return getJson(tracePath(trace, ""), signal);
}

/** The bytes of a scene, still to be decoded. `params` has the width, the height and what `sceneParams` says. */
export async function fetchScene(
  trace: string,
  view: string,
  params: URLSearchParams,
  signal?: AbortSignal,
): Promise<ArrayBuffer> {
  const path = tracePath(trace, `/scene/${encodeURIComponent(view)}`, params);
  const response = await request(path, { signal: signal ?? null });
  return body(response.arrayBuffer());
}

/** The bytes of what links do over the window of a scene, or of the messages in flight in it from a moment on (`after`). */
export async function fetchMotion(
  trace: string,
  view: string,
  what: "activity" | "messages",
  params: URLSearchParams,
  signal?: AbortSignal,
): Promise<ArrayBuffer> {
  const path = tracePath(trace, `/motion/${encodeURIComponent(view)}/${what}`, params);
  const response = await request(path, { signal: signal ?? null });
  return body(response.arrayBuffer());
}

/** The selection of a message by its row; null if nobody says which call sent it. */
export function fetchMessage(trace: string, row: number, signal?: AbortSignal): Promise<{ select: Selection | null }> {
  return getJson(tracePath(trace, "/message", new URLSearchParams({ row: String(row) })), signal);
}

/** What a scene shows at a pixel. `params` are those of the scene; the place is added here. */
export function fetchPick(
  trace: string,
  view: string,
  params: URLSearchParams,
  x: number,
  y: number,
  signal?: AbortSignal,
): Promise<Picked | null> {
  const all = new URLSearchParams(params);
  all.set("at_x", String(x));
  all.set("at_y", String(y));
  return getJson(tracePath(trace, `/pick/${encodeURIComponent(view)}`, all), signal);
}

/** Steps through a list, by the words of the server. */
export type ListStep = "up" | "down" | "page-up" | "page-down" | "first" | "last" | "in" | "out";

/** Where a key leads in a view that is a list: what is there, as if it had been clicked. */
export function fetchStep(
  trace: string,
  view: string,
  params: URLSearchParams,
  by: ListStep,
  signal?: AbortSignal,
): Promise<Picked | null> {
  const all = new URLSearchParams(params);
  all.set("by", by);
  return getJson(tracePath(trace, `/step/${encodeURIComponent(view)}`, all), signal);
}

/** Where a call begins or ends near a pixel of a scene, in nanoseconds; null if none does within some pixels. */
export async function fetchEdge(
  trace: string,
  view: string,
  params: URLSearchParams,
  at: { x: number; y: number },
  signal?: AbortSignal,
): Promise<number | null> {
  const all = new URLSearchParams(params);
  all.set("at_x", String(at.x));
  all.set("at_y", String(at.y));
  const path = tracePath(trace, `/edge/${encodeURIComponent(view)}`, all);
  const { at_ns } = await getJson<{ at_ns: string | null }>(path, signal);
  return at_ns === null ? null : Number(at_ns);
}

/** What a solid of a scene in space stands for. */
export function fetchPickSolid(
  trace: string,
  view: string,
  params: URLSearchParams,
  solid: string,
  signal?: AbortSignal,
): Promise<Picked | null> {
  const all = new URLSearchParams(params);
  all.set("solid", solid);
  return getJson(tracePath(trace, `/pick/${encodeURIComponent(view)}`, all), signal);
}

/** How what one points at and what is selected become the new selection. */
export type Choosing = "replace" | "add" | "toggle";

/**
 * The selection of a solid of a scene in space (`solid`), of what lies at a place (`at`), or of all in a rectangle (`area`),
 * put together with what is selected. `params` are those of the scene with its size and its camera.
 */
export function fetchChoice(
  trace: string,
  view: string,
  params: URLSearchParams,
  pointed: { solid: string } | { area: string } | { at_x: string; at_y: string },
  how: Choosing,
  signal?: AbortSignal,
): Promise<{ select: Selection | null }> {
  const all = new URLSearchParams(params);
  for (const [name, value] of Object.entries(pointed)) all.set(name, value);
  all.set("how", how);
  return getJson(tracePath(trace, `/choose/${encodeURIComponent(view)}`, all), signal);
}

/** The routes of a trace that answer a question in JSON, and their answers. */
export interface Answers {
  /** What is known of a selection. */
  details: Details;
  /** What lies in a selected window of calls, or in an area of the timeline. */
  brush: Brushed;
  /** Where the lateness of a selected event arose. */
  cause: Cause;
  /** The steps of a window of time, or the time of a window of steps. */
  steps: StepsTime;
  /** The largest value of the metric in a window. */
  largest: Largest;
  /** Some phases of a sorted list. */
  phases: Phases;
  /** The next, previous or longest call of a function; null if there is none. */
  find: Target | null;
  search: Hits;
  profile: Profile;
  /** What stands out in a window, and its stages. */
  findings: Findings;
  /** What the links of the machine say. */
  network: NetworkTold;
  /** How far nodes have come. */
  progress: ProgressTold;
  /** What is wrong with the run. */
  diagnosis: DiagnosisTold;
  /** How well the time of ranks is used, in the run and in a window. */
  efficiency: EfficiencyTold;
}
export type Route = keyof Answers;

/** Asks about a trace. */
export function ask<R extends Route>(
  trace: string,
  route: R,
  params: URLSearchParams,
  signal?: AbortSignal,
): Promise<Answers[R]> {
  return getJson(tracePath(trace, `/${route}`, params), signal);
}

/** How far an analysis is; asking starts it. `params` are the options that decide it. */
export function fetchAnalysis<A extends AnalysisName>(
  trace: string,
  name: A,
  params: URLSearchParams,
  signal?: AbortSignal,
): Promise<AnalysisState<A>> {
  return getJson(tracePath(trace, `/analysis/${name}`, params), signal);
}

export async function cancelAnalysis(trace: string, name: AnalysisName, params: URLSearchParams): Promise<void> {
  await request(tracePath(trace, `/analysis/${name}/cancel`, params), { method: "POST" });
}

export function fetchNotes(trace: string, signal?: AbortSignal): Promise<NotesTold> {
  return getJson(tracePath(trace, "/notes"), signal);
}

async function changeNotes(method: string, path: string, sent: object): Promise<NotesTold> {
  const init = { method, headers: { "content-type": "application/json" }, body: JSON.stringify(sent) };
  const response = await request(path, init);
  return body(response.json() as Promise<NotesTold>);
}

/** Writes a note down: a new one, or another version of one that is there. */
export function sendNote(trace: string, id: string | null, draft: Omit<Note, "id">): Promise<NotesTold> {
  if (id === null) return changeNotes("POST", tracePath(trace, "/notes"), draft);
  return changeNotes("PUT", tracePath(trace, `/notes/${encodeURIComponent(id)}`), draft);
}

export function deleteNote(trace: string, id: string): Promise<NotesTold> {
  return changeNotes("DELETE", tracePath(trace, `/notes/${encodeURIComponent(id)}`), {});
}

/** Moves a note up (-1) or down (1). */
export function moveNote(trace: string, id: string, by: -1 | 1): Promise<NotesTold> {
  return changeNotes("POST", tracePath(trace, `/notes/${encodeURIComponent(id)}/move`), { by });
}

/** Where all notes are as a file, for a download by the browser itself. */
export function notesUrl(trace: string, format: "md" | "json"): string {
  return BASE + tracePath(trace, `/written/notes.${format}`);
}

/** Where a figure is, for a download by the browser itself. */
/** A figure, to look at it before it is saved. */
export async function fetchFigure(
  trace: string,
  view: string,
  format: "png",
  params: URLSearchParams,
  signal: AbortSignal,
): Promise<Blob> {
  const response = await request(tracePath(trace, `/figure/${encodeURIComponent(view)}.${format}`, params), { signal });
  return body(response.blob());
}

export function figureUrl(trace: string, view: string, format: "png" | "svg" | "pdf", params: URLSearchParams): string {
  return BASE + tracePath(trace, `/figure/${encodeURIComponent(view)}.${format}`, params);
}
