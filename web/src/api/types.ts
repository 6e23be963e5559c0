/**
 * What the server answers, as the routes under `/api/v1` write it.
 *
 * Sums of 64 bits are strings: a JSON number is exact only below 2^53. Nothing here is checked at run time; scenes, which
 * are read by offset and length, are (see `scene/`).
 */
import type { AnalysisName } from "./options";
import type { SelectedKind, Selection } from "./selection";

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

/** Nothing stands out; much is lost, but nobody is to blame; somebody or something is; the trace does not tell. */
export type Verdict = "balanced" | "uneven" | "faulty" | "unknown";

/** What is wrong with a run, in words and figures. Shares go from 0 to 1 of the time of all ranks. */
export interface DiagnosisTold {
  verdict: Verdict;
  /** One sentence: the verdict in words. */
  headline: Piece[];
  /** The dearest first. */
  findings: FindingTold[];
  /** Where the time of all ranks goes. Shares add up to 1, and so do their texts. */
  split: SplitPart[];
  /** What is not useful of it. */
  lost: { share: number; text: string };
  /** What no finding explains; empty if nothing can be said of it. */
  remaining: Piece[];
  /** What was examined besides, and whether it is in order. */
  checks: { ok: boolean; text: string }[];
  /** What cannot be said, and why. */
  notes: string[];
  /** Those that make others wait most first, then those that take most time. */
  functions: FunctionTold[];
  /** The critical path: how often it moves to another rank, and where it spends the run. */
  path: { hops: number; parts: { label: string; share: number }[] };
  waits: { count: number; total_ns: Ns; explained: number };
  /** How long the run took, and how long the unchanged run takes when it is replayed. */
  replay: { length_ns: Ns; replayed_ns: Ns };
}

export interface SplitPart {
  kind: "useful" | "finding" | "chance" | "communication" | "other";
  /** The number of the finding, from 1. */
  finding: number | null;
  share: number;
  /** "18.8 %" */
  text: string;
}

/** Something that costs time: who, since when, how one knows, what to do. */
export interface FindingTold {
  /** From 1. */
  number: number;
  kind: string;
  title: string;
  /** For pictures. */
  label: string;
  where: string;
  /** The evidence in numbers. */
  text: Piece[];
  /** What the run would take without it. */
  without: Piece[];
  /** What to look at next. */
  advice: string;
  cost_share: number;
  cost_text: string;
  without_ns: Ns | null;
  /** As a filter: "96-103". */
  ranks: string | null;
  nodes: string[];
  function: number | null;
  function_name: string | null;
  since_ns: Ns;
  until_ns: Ns;
  is_throughout: boolean;
  /** The time that shows it. */
  window: [Ns, Ns];
  /** The call that shows it best, if one does. */
  select?: Selection;
}

/** A function by the time that it takes and by the waiting that it causes. */
export interface FunctionTold {
  region: number | null;
  name: string;
  time_share: number;
  cost_share: number;
  parts: { label: string; finding: number | null; cost_share: number }[];
}

/** How well the time of ranks is used: parallel = load balance x communication, and that = serialisation x transfer. */
export interface EfficiencyTold {
  /** The run; the window, if that is another; and the run until and since the onset of the first finding that has one. */
  columns: EfficiencyColumn[];
  cut_ns: Ns | null;
}

export interface EfficiencyColumn {
  name: "run" | "window" | "until" | "since";
  from_ns: Ns;
  to_ns: Ns;
  parallel: number;
  load_balance: number;
  communication: number;
  serialisation: number;
  transfer: number;
  /** Shares of the time of all ranks. */
  lost: { imbalance: number; serialisation: number; transfer: number };
}

/** How far nodes had come; figures and words are a question of their own. */
export interface ProgressAbout {
  /** Time steps, and nodes with work. */
  steps: number;
  nodes: number;
}

/** What there is to say of a progression. Times are nanoseconds of the trace, shares go from 0 to 1. */
export interface ProgressTold {
  /** What counts as work: "tasks", "iterations", "steps", "calls of dgemm". */
  work: string;
  /** The first task's start and the last one's end. */
  span: [number, number];
  /** The instants: one more than there are steps. */
  times: number[];
  /** Number of the instant that is shown. */
  shown: number;
  /** How many nodes have work, and which have none, as ranges; "" if all have. */
  nodes: number;
  idle_nodes: string;
  tasks: number;
  /** In the order of their names. */
  kinds: WorkerKindTold[];
  /** Those that take most time first. */
  types: TaskTypeTold[];
  /** Share of the time of all declared workers in which they run no task. */
  idle: number;
  /** By instant. */
  instants: InstantTold[];
  bounds: BoundsTold;
  /** For the bandwidths that the slider offers: how many groups the shown instant has at each. */
  bandwidths: [bandwidth: number, groups: number][];
  /** The selected nodes as a whole; null if none are. */
  selected: { nodes: string; count: number; facts: [name: string, text: string][] } | null;
  /** What is worth saying, those that matter most first. */
  words: ProgressWords[];
  /** What was left out, or assumed. */
  notes: string[];
}

/** A kind of workers; its name is "" if it is not known. */
export interface WorkerKindTold {
  name: string;
  declared: number;
  /** How many ran a task. */
  observed: number;
  /** Share of the time of all declared ones in tasks. */
  busy: number;
}

export interface TaskTypeTold {
  region: number;
  name: string;
  tasks: number;
  /** Of the time of all declared workers. */
  share: number;
  /** Mean duration by kind of workers in nanoseconds; null where none ran. */
  means: (number | null)[];
  /** Tasks far longer than is usual for their type on their kind of worker. */
  outliers: number;
}

export interface InstantTold {
  /** Of the slowest node and of the fastest. */
  extent: [number, number];
  /** Of all nodes together. */
  pooled: number;
  /** From the slowest. */
  groups: GroupTold[];
}

/** Nodes that have come equally far at an instant. */
export interface GroupTold {
  /** As ranges: "1-6, 12". */
  nodes: string;
  count: number;
  mean: number;
  extent: [number, number];
  /** "#rrggbb" in the theme of the question. */
  colour: string;
  select: Selection;
}

/** Lower bounds of the run, in nanoseconds. */
export interface BoundsTold {
  area: number;
  by_steps: number;
  /** The longest chain of tasks that wait for each other; null where nobody knows. */
  chain: number | null;
  /** How many times as long the run took as the area bound. */
  ratio: number;
  /** Workers that the bound counts on, and that there are. */
  workers: [counted: number, all: number];
}

export interface ProgressWords {
  text: Piece[];
  /** Whether it tells of a loss: it is set off then. */
  is_loss: boolean;
  select: Selection | null;
  /** When that begins. */
  since: number | null;
}

export type MachineKind = "torus" | "fat-tree" | "dragonfly";

/** A machine, and what is known of its traffic. */
export interface NetworkAbout {
  dimensions: [name: string, size: number][];
  kind: MachineKind;
  /** What it is called: "8x8x8", "fat-tree:4^6". */
  shape: string;
  /** Switches of each layer of a tree, from the nodes up. */
  layers: number[];
  /** Pods of each layer of a tree: parts that hang together up to there. */
  pods: number[];
  /** Groups of a dragonfly, and the routers of each. */
  groups: [groups: number, routers: number] | null;
  /** How routes are chosen, and how else they could be. */
  routing: string;
  routings: string[];
  /** Switches or routers. */
  switches: number;
  nodes: number;
  links: number;
  ranks: number;
  ranks_per_node: number;
  /** Where ranks sit, in words. */
  mapping: string;
  /** How the shape is known. */
  known: "given" | "trace" | "assumed";
  /** Kinds of traffic that the trace has; the first is shown by default. */
  origins: TrafficOrigin[];
  link_counters: string[];
  node_counters: string[];
}

export type TrafficOrigin = "measured" | "predicted" | "simulated";

/** What the links of a machine say. */
export interface NetworkTold {
  origin: TrafficOrigin;
  unit: string;
  is_bytes: boolean;
  /** Names of the dimensions that the projected view looks along, has to the right, and has downwards; "" for none. */
  axes: [along: string, across: string, down: string];
  /** Options of each view that there is a small map of. */
  views: Record<string, string>[];
  /** Where dimensions beyond three are cut. */
  cuts: [name: string, at: number][];
  /** Least and largest value, also in words. */
  full: [number, number];
  full_text: [string, string];
  /** Ends of the colours. */
  range: [number, number];
  /** How many cables show a value in each of as many equal steps from the least to the largest. */
  histogram: number[];
  idle: [idle: number, all: number];
  sections: { name: string; operations: string; sent: string; is_shown: boolean }[];
  all: LinkFigures;
  classes: LinkFigures[];
  top: {
    text: string;
    share: number;
    links: number;
    class: string;
    select: Selection;
    label: string;
    place: [number, number] | null;
  }[];
  /** How full the switches of a tree are, in per cent: what colours mean there. Null for other machines. */
  switches: SwitchesTold | null;
  /** Layers of a tree, from the nodes up. */
  layers: LayerTold[];
  words: string[];
  notes: string[];
}

export interface SwitchesTold {
  /** Nothing, and what the fullest link has. */
  full: [number, number];
  /** How many switches are in each of as many equal steps between them. */
  histogram: number[];
  idle: [idle: number, all: number];
  /** What it is a share of, in words. */
  of: string;
}

/** How much of what they could carry the switches of a layer did carry. */
export interface LayerTold {
  layer: number;
  switches: number;
  /** From 0 to 1; also in words. */
  mean: number;
  mean_text: string;
  max: number;
  max_text: string;
  /** How many carry nothing. */
  idle: number;
  /** Share of the bytes that nodes send to others that comes up to this layer; null where nobody knows. */
  reached: number | null;
  /** What utilisation is a share of, in words. */
  of: string;
  /** All of its switches. */
  select: Selection;
}

export interface LinkFigures {
  name: string;
  links: number;
  max: string;
  mean: string;
  cv: number;
  gini: number;
  /** From 0 to 1. */
  idle: number;
}

/** The hierarchy of clusters. Nodes are numbered: leaves first, then joints from the nearest pair to the root. */
export interface ClustersAbout {
  /** The phase that they are of; null for the run or a window of steps. */
  phase: number | null;
  is_run: boolean;
  /** Half open. */
  steps: [number, number];
  ranks: number;
  /** How they communicate, and what there is to know of it; missing if that has no name. */
  pattern?: [name: string, facts: string];
  leaves: number;
  /** The two children of each joint. */
  joints: [number, number][];
  /** How many ranks each node has. */
  sizes: number[];
  /** Joints that are open until somebody opens or closes one. */
  usual: number[];
}

export interface LogicalAbout {
  steps: number;
  phases: number;
  events: string;
  rows: number;
  /** What a person should know about the result. */
  hints: string[];
  /** By the name of a metric, of the one that was asked for at least: with aggregates, and of events alone. */
  largest: Record<string, string>;
  largest_of_events: Record<string, string>;
  /** The same of sums per step. */
  largest_sum: Record<string, string>;
  largest_sum_of_events: Record<string, string>;
  /** The step with the largest value, where one looks first. */
  latest_step?: number;
  metrics: MetricName[];
}

export interface MetricName {
  name: string;
  title: string;
  /** "ns" for times. */
  unit: string;
}

export interface Phase {
  phase: number;
  first_step: number;
  last_step: number;
  ranks: number;
  events: string;
  max_lateness_ns: string;
  total_lateness_ns: string;
  start_ns: Ns;
  end_ns: Ns;
  /** Whether collectives of it were taken apart. */
  is_split: boolean;
}

export interface Phases {
  total: number;
  phases: Phase[];
}

/** The largest value of the metric in a window; null if there is none. */
export interface Largest {
  largest: number | null;
}

/** A window of time and the steps in it. */
export interface StepsTime {
  time: [Ns, Ns];
  steps: [number, number];
}

/** An event on the path of a cause. */
export interface CauseEvent extends Target {
  step: number;
  lateness_ns?: string;
}

/** Where a lateness arose; without an origin, why there is none. */
export interface Cause {
  text: Piece[];
  origin?: CauseEvent;
  path?: CauseEvent[];
  ranks?: number;
  steps?: number;
  messages?: number;
  first_step?: number;
  last_step?: number;
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
