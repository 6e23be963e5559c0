/**
 * What the server answers, as the routes under `/api/v1` write it.
 *
 * Sums of 64 bits are strings: a JSON number is exact only below 2^53. Nothing here is checked at run time; scenes, which
 * are read by offset and length, are (see `scene/`).
 */
import type { AnalysisName } from "./options";
import type { SelectedKind, Selection } from "./selection";
import type { Verdict } from "./types-diagnosis";
import type { NetworkAbout } from "./types-network";
import type { ProgressAbout } from "./types-progress";
import type { ClustersAbout, LogicalAbout } from "./types-steps";

export type * from "./types-diagnosis";
export type * from "./types-network";
export type * from "./types-progress";
export type * from "./types-steps";

/** Decimal nanoseconds; `Number()` of it is exact below 2^53. */
export type Ns = string;

export interface TraceState {
  id: string;
  name: string;
  state: "importing" | "ready" | "failed";
  stage?: string;
  /** From 0 to 1. */
  done?: number;
  error?: string;
}

export interface Traces {
  version: string;
  traces: TraceState[];
}

export interface Region {
  id: number;
  name: string;
  paradigm: string;
  role: string;
  count: string;
  total_ns: string;
  exclusive_ns: string;
  communication: boolean;
  /** "#rrggbb", for either theme. */
  light: string;
  dark: string;
}

export interface Communicator {
  id: number;
  name: string;
  members: number;
  /** "0-15,100" as a filter; missing, or ending in "…", when it was too long to send. */
  ranks?: string;
}

export interface Warning {
  kind: string;
  count: string;
  where: string;
  text: string;
}

export interface MeasuredNetwork {
  /** What the file calls the machine; may be empty. */
  hardware: string;
  /** `8x8x8` */
  sizes: string;
  nodes: number;
  links: number;
  /** Parts of the program, at most 2,000. */
  sections: { id: string; name: string; visits: number }[];
  sections_total: number;
  /** At most 200. */
  counters: { name: string; of: "links" | "nodes" }[];
}

export interface TraceInfo {
  id: string;
  name: string;
  format: string;
  ranks: number;
  locations: number;
  /** Locations with spans. */
  rows: number;
  /** Those of them that are the main location of a rank. */
  rows_main?: number;
  /** Whether views of logical time have something to show. */
  logical?: boolean;
  spans: string;
  messages: string;
  collectives: string;
  /** Runs of tasks, and how many can run them; a server without them says nothing. */
  tasks?: string;
  workers?: number;
  unmatched: string;
  end_ns: Ns;
  /** Else rows are locations. */
  has_ranks: boolean;
  /** Visited ones, most time of its own first, at most 2,000. */
  regions: Region[];
  regions_total: number;
  /** Used ones, at most 200. */
  communicators: Communicator[];
  communicators_total: number;
  /** Counters, at most 200. */
  metrics: { name: string; unit: string }[];
  /** What was measured on the network, if anything was. */
  network?: MeasuredNetwork;
  warnings: Warning[];
  views: string[];
}

/** Time by communication region in a window (by any region where none communicates), and what the rest is called. */
export interface Profile {
  available_ns: string;
  regions: { id: number; ns: string }[];
  rest: string;
}

/** What is under the pointer. */
export interface Picked {
  title: string;
  colour: string;
  lines: string[];
  /** What a click on it selects. */
  select?: Selection;
  /** The joint of a hierarchy that a click on it opens or closes. */
  toggles?: number;
  /** Options that a click on it sets, by name. */
  sets?: Record<string, string>;
  /** x, y, width, height in pixels of the scene. */
  box?: [number, number, number, number];
}

/** Something that one can go to. */
export interface Target {
  select: Selection;
  start_ns: Ns;
  end_ns: Ns;
  /** null: filtered out. */
  row: number | null;
  step?: number;
  label: string;
}

/** A fact with a target, or with something to select, is a link. */
export interface Fact {
  label: string;
  text: string;
  target?: Target;
  select?: Selection;
}

/** What is known of a selection, and what it is tied to. */
export interface Details {
  select: Selection;
  kind: SelectedKind;
  title: string;
  colour?: string;
  region?: number;
  /** Where it lies in time, in steps (half open), and in the rows of the filtered list (half open; null: in none). */
  start_ns?: Ns;
  end_ns?: Ns;
  steps?: [number, number];
  rows?: [number, number] | null;
  /** Of messages between ranks, the columns of those who receive, the last one excluded. */
  columns?: [number, number];
  facts: Fact[];
  /** More of it, in sentences. */
  sentences?: string[];
  courses?: Courses;
  previous?: Target;
  next?: Target;
  parent?: Target;
  child?: Target;
  /** The other end of its first message. */
  partner?: Target;
}

/** How a metric goes along the steps: of a cluster first, then of the others that are shown. */
export interface Courses {
  title: string;
  lines: { node: number; size: number; points: (number | null)[] }[];
  /** Each point stands for so many steps. */
  steps: { first: number; last: number; each: number };
  /** The largest of all points, in words. */
  largest?: string;
}

export interface Hit {
  kind: "function" | "rank" | "node" | "communicator";
  label: string;
  detail: string;
  colour?: string;
  region?: number;
  /** The rows of a rank or node; missing if a filter keeps all of them out. */
  rows?: [number, number];
  /** The rank, or the ranks of a node or communicator, as a filter; missing when it was too long to send. */
  ranks?: string;
}

export interface Hits {
  hits: Hit[];
}

/** Some messages. */
export interface MessageSum {
  count: string;
  bytes: string;
}

/** What lies in a rectangle of the call view, or in an area of the timeline. */
export interface Brushed {
  calls: string;
  total_ns: string;
  ranks: number;
  ranks_total: number;
  /** Those ranks as a filter; missing when it was too long to send. */
  ranks_filter?: string;
  /** Those with most time first. */
  by_function: {
    region: number;
    name: string;
    calls: string;
    /** Of an area, what of their time lies in it; and what of that is not in calls that they make. */
    total_ns: string;
    own_ns?: string;
    ranks: number;
  }[];
  /** The slowest first. */
  slowest: {
    select: Selection;
    region: number;
    name: string;
    who: string;
    rank: number;
    start_ns: Ns;
    end_ns: Ns;
    duration_ns: string;
  }[];
  /** Of an area: what its ranks send and receive during its time, and what is both. */
  messages?: { sent: MessageSum; received: MessageSum; inside: MessageSum };
  /** Of many calls: the durations that they were added up for, and how many ranks with calls as slow were not searched for the slowest. */
  summed?: { least_ns: string; most_ns: string; unsearched: number };
}

/** Some words of a sentence, with what they speak of. */
export interface Piece {
  text: string;
  region?: number;
  ranks?: string;
  window?: [Ns, Ns];
  select?: Selection;
}

/** How far an analysis is: there, on its way, impossible, or failed. */
export type AnalysisState<A extends AnalysisName = AnalysisName> =
  | { state: "ready"; about: AnalysisAbout[A] }
  | { state: "building"; stage: string; done: number }
  | { state: "none"; why: string }
  | { state: "failed"; error: string };

/** What the server says about each analysis that is there. */
export interface AnalysisAbout extends Record<AnalysisName, object> {
  logical: LogicalAbout;
  clusters: ClustersAbout;
  network: NetworkAbout;
  progress: ProgressAbout;
  diagnosis: DiagnosisAbout;
  profile: ProfileAbout;
  messages: MessagesAbout;
  values: ValuesAbout;
}

/** What the page knows of the values of counters at once. */
export interface ValuesAbout {
  values: number;
}

/** What the page knows of the sums of messages at once. */
export interface MessagesAbout {
  messages: number;
}

/** How often and how long functions were called. */
export interface ProfileAbout {
  /** How many call paths there are. */
  paths: number;
}

/** What is wrong with a run; findings, figures and words are a question of their own. */
export interface DiagnosisAbout {
  verdict: Verdict;
  /** How many things were found. */
  findings: number;
}

/** Something that stands out, and what the sentence selects. */
export interface Finding {
  kind: string;
  text: Piece[];
  /** Which share of the time of all ranks it costs. */
  lost: number;
  window: [Ns, Ns] | null;
  ranks?: string;
  region: number | null;
  select?: Selection;
}

export interface Stage {
  start_ns: Ns;
  end_ns: Ns;
  /** The function of the program around it, or else what it mostly does. */
  name: string;
  is_caller: boolean;
  mostly: string;
  /** The function that it mostly is in, if it is one. */
  region: number | null;
  /** Of what it mostly does, from 0 to 1, like the share of the time outside communication. */
  share: number;
  efficiency: number;
  rounds: { count: number; each_ns: Ns } | null;
}

export interface Findings {
  findings: Finding[];
  stages: Stage[];
  efficiency: number | null;
  notes: string[];
}

/** A stop of a tour; the view is a place as in the address, and names in backquotes in the text stand out. */
export interface Stop {
  title: string;
  text: string;
  view: string;
}

export interface Tour {
  title: string;
  stops: Stop[];
}

/** What somebody wrote down about a view of a trace. The view is a place without its trace. */
export interface Note {
  id: string;
  name: string;
  text: string;
  view: string;
}

/** The notes of a trace, in their order. */
export interface NotesTold {
  notes: Note[];
  /** Where a new one goes. */
  file: string;
  /** Whether that is beside the trace, where others find it. */
  is_beside: boolean;
  /** The one that was just added or changed. */
  changed?: string;
}
