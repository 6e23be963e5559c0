/**
 * The one place that talks to the server.
 *
 * Every call takes an `AbortSignal`, so that a newer question gives up an older one. Three things can go wrong, and they
 * are told apart because people must do different things about them: the server said no (`ApiError`, with a sentence for
 * a person), the server cannot be reached (`ServerGone`), or we gave up ourselves (the browser's `AbortError`).
 */
import type {
  Brushed,
  Cause,
  Details,
  Findings,
  Hits,
  Linked,
  LogicalState,
  Phases,
  Picked,
  Profile,
  SpanName,
  Target,
  Tour,
  TraceInfo,
  Traces,
} from "./types";

const BASE = "/api/v1";

/** Which list of rows an answer counts in: the filter of ranks, and whether of main locations only. */
export interface Rows {
  ranks: string;
  main: boolean;
}

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
  if (!response.ok) throw new ApiError(response.status, await sentence(response));
  return response;
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

/** `theme` is that of the colours in the answer. */
export function fetchDetails(
  trace: string,
  span: SpanName,
  ask: { theme: string; options: string } & Rows,
  signal?: AbortSignal,
): Promise<Details> {
  const [location = "", ordinal = ""] = span.split(":");
  const path = `/spans/${encodeURIComponent(location)}/${encodeURIComponent(ordinal)}`;
  const params = withRows({ theme: ask.theme, ...Object.fromEntries(new URLSearchParams(ask.options)) }, ask);
  return getJson(tracePath(trace, path, params), signal);
}

/** How far logical time is; asking starts its computation. `params` are its options, and a metric. */
export function fetchLogical(trace: string, params: URLSearchParams, signal?: AbortSignal): Promise<LogicalState> {
  return getJson(tracePath(trace, "/logical", params), signal);
}

export async function cancelLogical(trace: string, params: URLSearchParams): Promise<void> {
  await request(tracePath(trace, "/logical/cancel", params), { method: "POST" });
}

/** Some phases of a sorted list. */
export function fetchPhases(
  trace: string,
  options: URLSearchParams,
  ask: { sort: string; from: number; count: number },
  signal?: AbortSignal,
): Promise<Phases> {
  const params = new URLSearchParams(options);
  params.set("sort", ask.sort);
  params.set("from", String(ask.from));
  params.set("count", String(ask.count));
  return getJson(tracePath(trace, "/phases", params), signal);
}

/** The steps of a window of time, or the time of a window of steps. */
export function fetchLink(
  trace: string,
  options: URLSearchParams,
  by: "time" | "steps",
  window: [number, number],
  signal?: AbortSignal,
): Promise<Linked> {
  const params = new URLSearchParams(options);
  params.set(by, window.join(":"));
  return getJson(tracePath(trace, "/link", params), signal);
}

/** Where the lateness of a call arose. */
export function fetchCause(
  trace: string,
  options: URLSearchParams,
  ask: { span: SpanName } & Rows,
  signal?: AbortSignal,
): Promise<Cause> {
  const params = withRows({ ...Object.fromEntries(options), select: ask.span }, ask);
  return getJson(tracePath(trace, "/cause", params), signal);
}

export function findSpan(
  trace: string,
  ask: { region: number; after: number; direction: "next" | "previous" | "longest" } & Rows,
  signal?: AbortSignal,
): Promise<Target | null> {
  const { region, after, direction } = ask;
  const params = withRows({ region: String(region), after: String(Math.round(after)), direction }, ask);
  return getJson(tracePath(trace, "/find", params), signal);
}

export function fetchHits(
  trace: string,
  ask: { text: string; theme: string } & Rows,
  signal?: AbortSignal,
): Promise<Hits> {
  return getJson(tracePath(trace, "/search", withRows({ q: ask.text, theme: ask.theme }, ask)), signal);
}

export function fetchProfile(
  trace: string,
  time: [number, number],
  ranks: string,
  signal?: AbortSignal,
): Promise<Profile> {
  const params = withRanks({ time: `${Math.round(time[0])}:${Math.round(time[1])}` }, ranks);
  return getJson(tracePath(trace, "/profile", params), signal);
}

/** What lies in a rectangle of the call view. `params` are those of the scene. */
export function fetchBrushed(
  trace: string,
  params: URLSearchParams,
  rect: { time: [number, number]; values: [number, number] },
  signal?: AbortSignal,
): Promise<Brushed> {
  const all = new URLSearchParams(params);
  all.set("from_ns", String(rect.time[0]));
  all.set("to_ns", String(rect.time[1]));
  all.set("low", String(rect.values[0]));
  all.set("high", String(rect.values[1]));
  return getJson(tracePath(trace, "/brush", all), signal);
}

/** What stands out in a window, and its stages. */
export function fetchFindings(
  trace: string,
  time: [number, number],
  ranks: string,
  signal?: AbortSignal,
): Promise<Findings> {
  const params = withRanks({ time: `${Math.round(time[0])}:${Math.round(time[1])}` }, ranks);
  return getJson(tracePath(trace, "/findings", params), signal);
}

/** Where a figure is, for a download by the browser itself. */
export function figureUrl(trace: string, view: string, format: "png" | "svg" | "pdf", params: URLSearchParams): string {
  return BASE + tracePath(trace, `/figure/${encodeURIComponent(view)}.${format}`, params);
}

function withRanks(fields: Record<string, string>, ranks: string): URLSearchParams {
  return withRows(fields, { ranks, main: false });
}

function withRows(fields: Record<string, string>, { ranks, main }: Rows): URLSearchParams {
  const params = new URLSearchParams(fields);
  if (ranks !== "") params.set("ranks", ranks);
  if (main) params.set("main", "1");
  return params;
}
