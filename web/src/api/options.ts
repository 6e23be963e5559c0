/**
 * What the options of views and analyses are. Generated from the Rust sources; do not edit.
 *
 * `HEDDLE_BLESS=1 cargo test -p heddle-server page_types` writes it anew.
 */

/** The value of each option, by its name on the command line, in questions and in links. */
export interface OptionValues {
  /** What a call looks like. */
  style: "points-end" | "points-start" | "lines" | "arches";
  /** What its height means: duration, bytes, rank or counter:NAME. */
  y: string;
  /** How heights are spaced; auto is linear for arches, which would be distorted otherwise, and log for the other styles. Ranks are always spaced evenly. */
  scale: "auto" | "log" | "linear";
  /** How the number of calls per pixel becomes opacity: log, linear, or alpha: plain blending in 8 bits, of 0.1 per call or of X with alpha:X. */
  opacity: "log" | "linear" | "alpha";
  /** Opacity of a single call, 0 to 1. */
  omin: number;
  /** Only calls that last this long, for instance 10us:2ms or 1s:. */
  durations: readonly [number, number] | null;
  /** Only calls that send and receive this many bytes, for instance 1K:64K or 1M:. */
  bytes: readonly [number, number] | null;
  /** Only calls, or messages, in this communicator, by its number. */
  communicator: number | null;
  /** What calls are coloured by: function, metric, phase, kind (send, receive, wait or collective); in the timeline waits (who waits, who makes others wait), waiting, cost or path (what decided how long the run took); in the call view caller, the function that a call was made from; by default the metric in logical time, elsewhere the function. */
  colour: "" | "function" | "metric" | "phase" | "kind" | "caller" | "waits" | "waiting" | "cost" | "path";
  /** What colours mean: lateness, phase-lateness, differential, phase-differential, duration, enter, exit or counter:NAME. */
  metric: string;
  /** Values at the ends of the colour scale, for instance 0:4ms; plain numbers for counters. */
  range: readonly [number, number] | null;
  /** Sums at the bottom and the top of the metric overview, for instance 0:80ms: two runs become comparable. */
  sums: readonly [number, number] | null;
  /** End the colour scale at the largest value of each step. */
  relative: boolean;
  /** Show, and sum, what lies between events. */
  aggregates: boolean;
  /** Colours of the metric. */
  palette: "diverging" | "sequential";
  /** Draw messages and collectives. */
  messages: boolean;
  /** Draw where the lateness of the selected event came from. */
  cause: boolean;
  /** How many messages away from the rank in focus ranks are shown beside it. */
  radius: number;
  /** The rank in focus: a number, or of the selected cluster, else of all, the rank with the largest value (max) or the one that stands for it (medoid). */
  focus: string;
  /** Clusters that are open, by number; by default those above the groups that stand out. */
  open: string;
  /** Show which part of a cluster does nothing at a step; without it all boxes are filled. */
  idle: boolean;
  /** Put consecutive events with the same caller into one phase; the outermost region never counts as a caller. */
  "common-caller": boolean;
  /** Put sends into one phase up to the call that waits for them. */
  "wait-all": boolean;
  /** Treat consecutive MPI_Isend calls as one event. */
  "coalesce-isends": boolean;
  /** Merge neighbouring phases until each covers all ranks, as far as possible. */
  "leap-merge": boolean;
  /** With --leap-merge: leave what cannot be completed as it is. */
  "leap-skip": boolean;
  /** Let only messages whose two ends name the same length join phases. */
  "same-size": boolean;
  /** Count phases whose steps overlap as one for phase lateness. */
  "merge-overlapping": boolean;
  /** Never join collectives with what stands around them. */
  "collective-borders": boolean;
  /** How steps are given: sends-first aligns sends and fits receives in, earliest takes every event as early as possible. */
  stepping: "sends-first" | "earliest";
  /** Begin a phase wherever this function is entered: the one with the shortest name that contains NAME. */
  "phase-function": string;
  /** Whose ranks are clustered: run, phase:N or steps:A:B; by default the phase with the largest value if it has several steps and at least half of the ranks, else the run. */
  scope: string;
  /** How ranks are compared: at the steps where one of the two has an event (paper), or at all steps, holding the last value (held). */
  distance: "paper" | "held";
  /** Clusters at most, before they are joined into a hierarchy. */
  clusters: number;
  /** Samples of ranks in which medoids are looked for; the best is kept. */
  samples: number;
  /** What the samples are drawn by: the same seed gives the same clusters. */
  seed: number;
  /** Which counters: names, or parts of names, separated by commas; all if not given. */
  metrics: string;
  /** Show what accumulates as it grows per second. */
  rates: boolean;
  /** Number of the step at whose end groups are shown, from 0; by default the one where groups are farthest apart. */
  "shown-step": number | null;
  /** What colours of groups mean: shown (the groups of the shown step), speed (from the slowest, as in the paper) or kept (a group keeps its colour while its nodes stay together). */
  "group-colour": "shown" | "speed" | "kept";
  /** Name the nodes on minority paths. */
  labels: boolean;
  /** Bandwidth of the density by which nodes are grouped, as a share of the work: larger ones make fewer groups. */
  bandwidth: number;
  /** Least depth of a valley between two groups, as a share of the lower peak beside it. */
  "min-depth": number;
  /** Show the densities of so many steps, from the first on, instead of that of the shown step; 0 for the latter. */
  densities: number;
  /** What counts as work: tasks, iterations, steps (of logical time), or the calls of a function of this name; by default the tasks, and of programs without any the steps. */
  work: string;
  /** What a task weighs: none (all the same), type (the time that all capable workers of its node would need for one), or worker (the same with the workers that ran one, as StarVZ has it). */
  weights: "none" | "type" | "worker";
  /** What counts of a task that is running: step (nothing until it ends) or fraction (the share of its time that has gone by). */
  "in-flight": "step" | "fraction";
  /** Which workers the lower bounds count on: declared (all) or observed (those that ran a task). */
  "bound-workers": "declared" | "observed";
  /** Number of time steps, from the first task's start to the last one's end. */
  "time-steps": number;
  /** What groups look like: matrix, a cell for every two of them, or ring, all of them on a circle with the cables between them. */
  "groups-as": "matrix" | "ring";
  /** The group that is opened: what its routers send each other stands beside the matrix; by default none. */
  group: string;
  /** What a cable shows of its two directions: their mean, their sum, or one of them (plus is up in a tree). */
  direction: "mean" | "sum" | "plus" | "minus";
  /** Loads at the ends of the colour scale: below the first a link is not drawn, above the second it looks like that. */
  loads: readonly [number, number] | null;
  /** What nodes are coloured by: nothing, their traffic, rank, communicator, sub-domain (block of ranks that were given neighbouring numbers), cluster, or counter:NAME of a measurement. */
  nodes: string;
  /** Count only what the selected ranks send. */
  "only-selected": boolean;
  /** The machine: sizes of a torus such as 8x8x16; mesh:8x8x16 without links around; a fat-tree by the children of its switches, fat-tree:4x4x4 or fat-tree:4^6, thinner towards the top fat-tree:16x8;1x4; a dragonfly of groups, routers and nodes, dragonfly:9x4x2; or a file: Slurm's topology.conf or topology.yaml, what ibnetdiscover prints, or a SimGrid platform; by default what the trace says, else a torus that its nodes fill. */
  topology: string;
  /** Ranks that share a node; by default as many as the trace says. */
  "ranks-per-node": number;
  /** Where ranks sit: TXYZ or another order of letters (first fastest; last fastest in five dimensions), tile, tiltZ or tiltZY (of 2x8x8 nodes: tile:2x8x8), block, round-robin, a map file or a list of hosts; by default as in the trace. */
  mapping: string;
  /** Which links messages take. On a torus asp, all shortest paths with equal shares (by default); dor, one dimension after the other; or dor-simgrid, the same as SimGrid decides halfway round a ring. On a fat-tree d-mod-k, up by the receiver's number (by default); or spread, over all ways up alike. On a dragonfly minimal, straight to the other group (by default); or valiant, by way of a third one. */
  routing: "" | "asp" | "dor" | "dor-simgrid" | "d-mod-k" | "spread" | "minimal" | "valiant";
  /** What a link carries one way, in GB/s, for its utilisation; by default what the topology file says, and if that says nothing, links are compared with the fullest. */
  "link-bandwidth": number;
  /** Traffic of a pattern instead of a trace: message:FROM:TO, all-to-all, uniform (every rank sends in equal parts to all others), nearest (in equal parts to its six neighbours on the most cubic closed grid of ranks; nearest:16x16x16 for another), broadcast:ROOT (a binomial tree) or deposit:ROOT (along each dimension in turn, every node on the way keeping a copy). */
  pattern: string;
  /** How collectives become messages. usual: all-to-all and reduce-scatter between all pairs, broadcast and reduce along binomial trees, all-reduce by recursive doubling (ranks beyond the last power of two hand over to a partner first), all-gather round a ring, gather and scatter straight to and from the root, scan from each rank to the next, barriers nothing; an unknown root is the first rank. pairs, tree, doubling and ring do all of them so, none leaves them out. */
  collectives: "usual" | "none" | "pairs" | "tree" | "doubling" | "ring";
  /** Where loads come from; by default the first of measured, simulated and predicted that the trace has. */
  traffic: "" | "measured" | "simulated" | "predicted";
  /** Which counter of a measurement; by default its first. */
  "link-counter": string;
  /** Only these sections of the traffic, by number from 0, separated by commas; by default all. */
  sections: string;
  /** How the tree is drawn: qs (layers of switches on a plane), dl, dc, dr (in space: along a line, around a cone, on rectangles), lb (layered blocks), ht (H tree), f1 (fractal), or cells (by a file of generators); several side by side with commas between them; by default qs up to 64 nodes, else ht. */
  as: string;
  /** A file with a pair of generators for cells of your own: lines a and b with four points each, and A and B with factors. */
  cells: string;
  /** What switches are coloured by: traffic (how much of what could leave them did), their busiest link, their layer, or nothing. */
  switches: "traffic" | "busiest-link" | "layer" | "plain";
  /** What the size of a switch means in ht, f1 and cells. */
  "size-by": "none" | "traffic";
  /** What the shape of a switch means in ht, f1 and cells. */
  "shape-by": "none" | "layer";
  /** What the third dimension means in qs, ht, f1 and cells. */
  "height-by": "none" | "traffic";
  /** Which cables are drawn; by default all up to 64 nodes, else the busiest of qs, dl, dc and dr, and none of the others. */
  wires: "usual" | "none" | "busy" | "all";
  /** Draw the network cards of nodes. */
  nics: boolean;
  /** Only what a pod holds: its layer and its number, for instance 3,7. */
  within: string;
  /** Blocks of lb that are drawn as single switches: layers and numbers, for instance 3,7;4,1. */
  split: string;
  /** How many layers further up the pods are that blocks of lb stand for: with 1, the first layer has groups of four switches instead of four nodes. */
  grouping: number;
  /** Messages on their way at a moment: none, as dots, or as pipes that grow from the sender. */
  motion: "none" | "dots" | "pipes";
  /** The moment; by default the middle of the window. */
  at: string;
  /** What links and switches show meanwhile: what they carry now, which fades when it is over, or the sum since the window began. */
  activity: "now" | "sum";
  /** What messages are coloured by: their wait, size, source or destination. */
  "colour-messages": "wait" | "size" | "source" | "destination";
  /** Which way to look at the picture: degrees around it and degrees above it, for instance 35:22. */
  turn: string;
  /** How close to go: 2 is half as far away as where everything is in view. */
  zoom: number;
  /** What stands in the middle of the picture, as a way from the middle of everything, for instance 2:0:-1. */
  aim: string;
  /** What rows are: kinds (workers of a node of one kind together) or workers (each by itself). */
  lanes: "kinds" | "workers";
  /** In which order nodes stand: number, or group (those of the shown step, the slowest first). */
  "node-order": "number" | "group";
  /** Mark tasks that took unusually long: more than 1.5 interquartile ranges above the upper quartile of their type and kind of worker. */
  outliers: boolean;
  /** Whose calls are counted; by default those of the function that is highlighted, or else that takes most time. */
  function: string;
  /** The counter whose values are counted by their size, instead of calls by their duration: a name, or a part of one. */
  counter: string;
  /** How durations or values are spaced. */
  bins: "log" | "linear";
  /** What colours mean: how many calls or values, or how long they take together. */
  shade: "calls" | "time";
  /** Order of rows: by rank, by cluster, by node of the machine, or the rank with the largest lateness first. */
  order: "rank" | "cluster" | "node" | "lateness";
  /** One row per cluster or per node instead of one per rank; it shows the rank that stands for them. Or path: only the ranks that the critical path visits in the window, and a few that wait most. */
  fold: "none" | "cluster" | "node" | "path";
  /** Rows are the members of this communicator, given by its number, in its order and with its numbers. */
  members: number | null;
  /** Mappings to compare, separated by semicolons; by default TXYZ;XYZT;tile;tiltZ;tiltZY in three dimensions. */
  mappings: string;
  /** The dimension that one looks along, by name; by default the last of three. */
  along: string;
  /** The dimensions across and down, by name, for instance a,c; by default those that follow from the first. */
  plane: string;
  /** Where to cut the other dimensions of more than three, for instance d=1,e=0; by default at 0. */
  slice: string;
  /** Which links of the plane are drawn: rings about the centre, or all that are horizontal, all that are vertical, or none. */
  links: "concentric" | "horizontal" | "vertical" | "none";
  /** Draw links along the dimension that one looks along. */
  diagonals: boolean;
  /** Draw links that wrap around as stubs. */
  stubs: boolean;
  /** The node that is moved to the corner where all coordinates are 0, for instance 4,4,4: a torus has no centre of its own. */
  roll: string;
  /** What cells show: bytes or messages that were sent; bandwidth, bytes per second from sending to completed receive; or wait, for how long a receive waited for its message. */
  volume: "bytes" | "messages" | "bandwidth" | "wait";
  /** List call paths, each below what it was called from, rather than functions. */
  tree: boolean;
  /** List ranks, with the numbers of the selected or highlighted function, else of all calls. */
  "by-rank": boolean;
  /** What rows are sorted by, the largest first; time is exclusive in a list and inclusive in a tree. */
  sort: "time" | "exclusive" | "inclusive" | "calls" | "mean" | "shortest" | "longest" | "most" | "least" | "imbalance" | "name";
  /** Sort the other way round. */
  reverse: boolean;
  /** Only rows whose names contain this text, whatever the case; in a tree with the way to them. */
  search: string;
  /** What is open in a tree: all, none, or what has room if neither is said; then +KEY and -KEY for call paths that are open or closed all the same. */
  branches: string;
  /** Rows that are scrolled over. */
  "first-row": number;
  /** The row that one is at, as the page writes it. */
  row: string;
  /** Draw the critical path: the chain of work and messages that decided how long the run took; by default where colours show who waits. */
  path: "" | "on" | "off";
  /** Draw rows of whom something was found higher than others; by default where colours show who waits. */
  magnify: "" | "on" | "off";
  /** Draw counters as tracks below the rows of their locations, as many as there is room for; --metrics chooses which. */
  tracks: boolean;
  /** Draw only the links that the projected view draws. */
  "links-in-2d": boolean;
  /** Let what is not selected fade. */
  fade: boolean;
  /** Draw the program's grid of ranks beside the machine. */
  "process-grid": boolean;
}
export type OptionName = keyof OptionValues;

/** How an option is written, checked and explained. */
export type OptionSpec =
  | { kind: "switch"; usual: boolean; flag: string; title: string; help: string }
  | { kind: "word"; words: readonly string[]; usual: string; flag: string; title: string; help: string }
  | { kind: "range"; whole: boolean; least: number; most: number; usual: null; flag: string; title: string; help: string }
  | { kind: "number"; whole: boolean; least: number; most: number; usual: number; flag: string; title: string; help: string }
  | { kind: "id"; usual: null; flag: string; title: string; help: string }
  | { kind: "text"; longest: number; usual: string; flag: string; title: string; help: string };

export const OPTIONS: { readonly [N in OptionName]: OptionSpec } = {
  style: { kind: "word", words: ["points-end", "points-start", "lines", "arches"], usual: "points-end", flag: "--style", title: "style", help: "What a call looks like" },
  y: { kind: "text", longest: 1000, usual: "duration", flag: "--y", title: "y", help: "What its height means: duration, bytes, rank or counter:NAME" },
  scale: { kind: "word", words: ["auto", "log", "linear"], usual: "auto", flag: "--scale", title: "scale", help: "How heights are spaced; auto is linear for arches, which would be distorted otherwise, and log for the other styles. Ranks are always spaced evenly" },
  opacity: { kind: "word", words: ["log", "linear", "alpha"], usual: "log", flag: "--opacity", title: "opacity", help: "How the number of calls per pixel becomes opacity: log, linear, or alpha: plain blending in 8 bits, of 0.1 per call or of X with alpha:X" },
  omin: { kind: "number", whole: false, least: 0, most: 1, usual: 0.4, flag: "--omin", title: "Opacity of a single call", help: "Opacity of a single call, 0 to 1" },
  durations: { kind: "range", whole: true, least: 0, most: 9000000000000000, usual: null, flag: "--durations", title: "durations", help: "Only calls that last this long, for instance 10us:2ms or 1s:" },
  bytes: { kind: "range", whole: true, least: 0, most: 9000000000000000, usual: null, flag: "--bytes", title: "bytes", help: "Only calls that send and receive this many bytes, for instance 1K:64K or 1M:" },
  communicator: { kind: "id", usual: null, flag: "--communicator", title: "communicator", help: "Only calls, or messages, in this communicator, by its number" },
  colour: { kind: "word", words: ["", "function", "metric", "phase", "kind", "caller", "waits", "waiting", "cost", "path"], usual: "", flag: "--colour", title: "colour", help: "What calls are coloured by: function, metric, phase, kind (send, receive, wait or collective); in the timeline waits (who waits, who makes others wait), waiting, cost or path (what decided how long the run took); in the call view caller, the function that a call was made from; by default the metric in logical time, elsewhere the function" },
  metric: { kind: "text", longest: 1000, usual: "lateness", flag: "--metric", title: "metric", help: "What colours mean: lateness, phase-lateness, differential, phase-differential, duration, enter, exit or counter:NAME" },
  range: { kind: "range", whole: false, least: -1000000000000000000, most: 1000000000000000000, usual: null, flag: "--range", title: "range", help: "Values at the ends of the colour scale, for instance 0:4ms; plain numbers for counters" },
  sums: { kind: "range", whole: false, least: -1000000000000000000, most: 1000000000000000000, usual: null, flag: "--sums", title: "sums", help: "Sums at the bottom and the top of the metric overview, for instance 0:80ms: two runs become comparable" },
  relative: { kind: "switch", usual: false, flag: "--relative", title: "relative", help: "End the colour scale at the largest value of each step" },
  aggregates: { kind: "switch", usual: true, flag: "--no-aggregates", title: "aggregates", help: "Show, and sum, what lies between events" },
  palette: { kind: "word", words: ["diverging", "sequential"], usual: "diverging", flag: "--palette", title: "palette", help: "Colours of the metric" },
  messages: { kind: "switch", usual: true, flag: "--no-messages", title: "messages", help: "Draw messages and collectives" },
  cause: { kind: "switch", usual: true, flag: "--no-cause", title: "cause", help: "Draw where the lateness of the selected event came from" },
  radius: { kind: "number", whole: true, least: 0, most: 20, usual: 1, flag: "--radius", title: "Radius", help: "How many messages away from the rank in focus ranks are shown beside it" },
  focus: { kind: "text", longest: 10, usual: "max", flag: "--focus", title: "Focus", help: "The rank in focus: a number, or of the selected cluster, else of all, the rank with the largest value (max) or the one that stands for it (medoid)" },
  open: { kind: "text", longest: 4000, usual: "", flag: "--open", title: "Open clusters", help: "Clusters that are open, by number; by default those above the groups that stand out" },
  idle: { kind: "switch", usual: true, flag: "--no-idle", title: "Idle part", help: "Show which part of a cluster does nothing at a step; without it all boxes are filled" },
  "common-caller": { kind: "switch", usual: true, flag: "--no-common-caller", title: "Same caller, same phase", help: "Put consecutive events with the same caller into one phase; the outermost region never counts as a caller" },
  "wait-all": { kind: "switch", usual: true, flag: "--no-wait-all", title: "Sends until their wait, one phase", help: "Put sends into one phase up to the call that waits for them" },
  "coalesce-isends": { kind: "switch", usual: true, flag: "--no-coalesce-isends", title: "MPI_Isend in a row, one event", help: "Treat consecutive MPI_Isend calls as one event" },
  "leap-merge": { kind: "switch", usual: false, flag: "--leap-merge", title: "Grow phases to all ranks", help: "Merge neighbouring phases until each covers all ranks, as far as possible" },
  "leap-skip": { kind: "switch", usual: false, flag: "--leap-skip", title: "Leave those that cannot grow", help: "With --leap-merge: leave what cannot be completed as it is" },
  "same-size": { kind: "switch", usual: false, flag: "--same-size", title: "Join by equal lengths only", help: "Let only messages whose two ends name the same length join phases" },
  "merge-overlapping": { kind: "switch", usual: false, flag: "--merge-overlapping", title: "Overlapping phases count as one", help: "Count phases whose steps overlap as one for phase lateness" },
  "collective-borders": { kind: "switch", usual: false, flag: "--collective-borders", title: "Collectives stand alone", help: "Never join collectives with what stands around them" },
  stepping: { kind: "word", words: ["sends-first", "earliest"], usual: "sends-first", flag: "--stepping", title: "Steps", help: "How steps are given: sends-first aligns sends and fits receives in, earliest takes every event as early as possible" },
  "phase-function": { kind: "text", longest: 1000, usual: "", flag: "--phase-function", title: "Phases begin with function", help: "Begin a phase wherever this function is entered: the one with the shortest name that contains NAME" },
  scope: { kind: "text", longest: 40, usual: "", flag: "--scope", title: "Clusters of", help: "Whose ranks are clustered: run, phase:N or steps:A:B; by default the phase with the largest value if it has several steps and at least half of the ranks, else the run" },
  distance: { kind: "word", words: ["paper", "held"], usual: "paper", flag: "--distance", title: "Distance", help: "How ranks are compared: at the steps where one of the two has an event (paper), or at all steps, holding the last value (held)" },
  clusters: { kind: "number", whole: true, least: 1, most: 200, usual: 20, flag: "--clusters", title: "Clusters at most", help: "Clusters at most, before they are joined into a hierarchy" },
  samples: { kind: "number", whole: true, least: 1, most: 100, usual: 5, flag: "--samples", title: "Samples", help: "Samples of ranks in which medoids are looked for; the best is kept" },
  seed: { kind: "number", whole: true, least: 0, most: 1000000, usual: 1, flag: "--seed", title: "Seed", help: "What the samples are drawn by: the same seed gives the same clusters" },
  metrics: { kind: "text", longest: 1000, usual: "", flag: "--metrics", title: "metrics", help: "Which counters: names, or parts of names, separated by commas; all if not given" },
  rates: { kind: "switch", usual: true, flag: "--no-rates", title: "rates", help: "Show what accumulates as it grows per second" },
  "shown-step": { kind: "id", usual: null, flag: "--shown-step", title: "Shown step", help: "Number of the step at whose end groups are shown, from 0; by default the one where groups are farthest apart" },
  "group-colour": { kind: "word", words: ["shown", "speed", "kept"], usual: "shown", flag: "--group-colour", title: "Colour", help: "What colours of groups mean: shown (the groups of the shown step), speed (from the slowest, as in the paper) or kept (a group keeps its colour while its nodes stay together)" },
  labels: { kind: "switch", usual: true, flag: "--no-labels", title: "Labels", help: "Name the nodes on minority paths" },
  bandwidth: { kind: "number", whole: false, least: 0.0005, most: 1, usual: 0.01, flag: "--bandwidth", title: "Bandwidth", help: "Bandwidth of the density by which nodes are grouped, as a share of the work: larger ones make fewer groups" },
  "min-depth": { kind: "number", whole: false, least: 0, most: 1, usual: 0.02, flag: "--min-depth", title: "Least depth", help: "Least depth of a valley between two groups, as a share of the lower peak beside it" },
  densities: { kind: "number", whole: true, least: 0, most: 100, usual: 0, flag: "--densities", title: "Densities", help: "Show the densities of so many steps, from the first on, instead of that of the shown step; 0 for the latter" },
  work: { kind: "text", longest: 1000, usual: "", flag: "--work", title: "Work", help: "What counts as work: tasks, iterations, steps (of logical time), or the calls of a function of this name; by default the tasks, and of programs without any the steps" },
  weights: { kind: "word", words: ["none", "type", "worker"], usual: "type", flag: "--weights", title: "Weights", help: "What a task weighs: none (all the same), type (the time that all capable workers of its node would need for one), or worker (the same with the workers that ran one, as StarVZ has it)" },
  "in-flight": { kind: "word", words: ["step", "fraction"], usual: "step", flag: "--in-flight", title: "Running tasks", help: "What counts of a task that is running: step (nothing until it ends) or fraction (the share of its time that has gone by)" },
  "bound-workers": { kind: "word", words: ["declared", "observed"], usual: "declared", flag: "--bound-workers", title: "Workers of the bound", help: "Which workers the lower bounds count on: declared (all) or observed (those that ran a task)" },
  "time-steps": { kind: "number", whole: true, least: 1, most: 1000, usual: 20, flag: "--time-steps", title: "Steps", help: "Number of time steps, from the first task's start to the last one's end" },
  "groups-as": { kind: "word", words: ["matrix", "ring"], usual: "matrix", flag: "--groups-as", title: "Groups as", help: "What groups look like: matrix, a cell for every two of them, or ring, all of them on a circle with the cables between them" },
  group: { kind: "text", longest: 1000, usual: "", flag: "--group", title: "group", help: "The group that is opened: what its routers send each other stands beside the matrix; by default none" },
  direction: { kind: "word", words: ["mean", "sum", "plus", "minus"], usual: "mean", flag: "--direction", title: "direction", help: "What a cable shows of its two directions: their mean, their sum, or one of them (plus is up in a tree)" },
  loads: { kind: "range", whole: false, least: -1000000000000000000, most: 1000000000000000000, usual: null, flag: "--loads", title: "loads", help: "Loads at the ends of the colour scale: below the first a link is not drawn, above the second it looks like that" },
  nodes: { kind: "text", longest: 1000, usual: "plain", flag: "--nodes", title: "Nodes by", help: "What nodes are coloured by: nothing, their traffic, rank, communicator, sub-domain (block of ranks that were given neighbouring numbers), cluster, or counter:NAME of a measurement" },
  "only-selected": { kind: "switch", usual: false, flag: "--only-selected", title: "Only what is selected sends", help: "Count only what the selected ranks send" },
  topology: { kind: "text", longest: 1000, usual: "", flag: "--topology", title: "topology", help: "The machine: sizes of a torus such as 8x8x16; mesh:8x8x16 without links around; a fat-tree by the children of its switches, fat-tree:4x4x4 or fat-tree:4^6, thinner towards the top fat-tree:16x8;1x4; a dragonfly of groups, routers and nodes, dragonfly:9x4x2; or a file: Slurm's topology.conf or topology.yaml, what ibnetdiscover prints, or a SimGrid platform; by default what the trace says, else a torus that its nodes fill" },
  "ranks-per-node": { kind: "number", whole: true, least: 0, most: 1000000, usual: 0, flag: "--ranks-per-node", title: "ranks-per-node", help: "Ranks that share a node; by default as many as the trace says" },
  mapping: { kind: "text", longest: 1000, usual: "", flag: "--mapping", title: "mapping", help: "Where ranks sit: TXYZ or another order of letters (first fastest; last fastest in five dimensions), tile, tiltZ or tiltZY (of 2x8x8 nodes: tile:2x8x8), block, round-robin, a map file or a list of hosts; by default as in the trace" },
  routing: { kind: "word", words: ["", "asp", "dor", "dor-simgrid", "d-mod-k", "spread", "minimal", "valiant"], usual: "", flag: "--routing", title: "routing", help: "Which links messages take. On a torus asp, all shortest paths with equal shares (by default); dor, one dimension after the other; or dor-simgrid, the same as SimGrid decides halfway round a ring. On a fat-tree d-mod-k, up by the receiver's number (by default); or spread, over all ways up alike. On a dragonfly minimal, straight to the other group (by default); or valiant, by way of a third one" },
  "link-bandwidth": { kind: "number", whole: false, least: 0, most: 1000000000, usual: 0, flag: "--link-bandwidth", title: "link-bandwidth", help: "What a link carries one way, in GB/s, for its utilisation; by default what the topology file says, and if that says nothing, links are compared with the fullest" },
  pattern: { kind: "text", longest: 1000, usual: "", flag: "--pattern", title: "pattern", help: "Traffic of a pattern instead of a trace: message:FROM:TO, all-to-all, uniform (every rank sends in equal parts to all others), nearest (in equal parts to its six neighbours on the most cubic closed grid of ranks; nearest:16x16x16 for another), broadcast:ROOT (a binomial tree) or deposit:ROOT (along each dimension in turn, every node on the way keeping a copy)" },
  collectives: { kind: "word", words: ["usual", "none", "pairs", "tree", "doubling", "ring"], usual: "usual", flag: "--collectives", title: "collectives", help: "How collectives become messages. usual: all-to-all and reduce-scatter between all pairs, broadcast and reduce along binomial trees, all-reduce by recursive doubling (ranks beyond the last power of two hand over to a partner first), all-gather round a ring, gather and scatter straight to and from the root, scan from each rank to the next, barriers nothing; an unknown root is the first rank. pairs, tree, doubling and ring do all of them so, none leaves them out" },
  traffic: { kind: "word", words: ["", "measured", "simulated", "predicted"], usual: "", flag: "--traffic", title: "traffic", help: "Where loads come from; by default the first of measured, simulated and predicted that the trace has" },
  "link-counter": { kind: "text", longest: 1000, usual: "", flag: "--link-counter", title: "link-counter", help: "Which counter of a measurement; by default its first" },
  sections: { kind: "text", longest: 1000, usual: "", flag: "--sections", title: "sections", help: "Only these sections of the traffic, by number from 0, separated by commas; by default all" },
  as: { kind: "text", longest: 1000, usual: "", flag: "--as", title: "Drawn as", help: "How the tree is drawn: qs (layers of switches on a plane), dl, dc, dr (in space: along a line, around a cone, on rectangles), lb (layered blocks), ht (H tree), f1 (fractal), or cells (by a file of generators); several side by side with commas between them; by default qs up to 64 nodes, else ht" },
  cells: { kind: "text", longest: 1000, usual: "", flag: "--cells", title: "cells", help: "A file with a pair of generators for cells of your own: lines a and b with four points each, and A and B with factors" },
  switches: { kind: "word", words: ["traffic", "busiest-link", "layer", "plain"], usual: "traffic", flag: "--switches", title: "Switches by", help: "What switches are coloured by: traffic (how much of what could leave them did), their busiest link, their layer, or nothing" },
  "size-by": { kind: "word", words: ["none", "traffic"], usual: "none", flag: "--size-by", title: "Size by", help: "What the size of a switch means in ht, f1 and cells" },
  "shape-by": { kind: "word", words: ["none", "layer"], usual: "none", flag: "--shape-by", title: "Shape by", help: "What the shape of a switch means in ht, f1 and cells" },
  "height-by": { kind: "word", words: ["none", "traffic"], usual: "none", flag: "--height-by", title: "Height by", help: "What the third dimension means in qs, ht, f1 and cells" },
  wires: { kind: "word", words: ["usual", "none", "busy", "all"], usual: "usual", flag: "--wires", title: "Cables", help: "Which cables are drawn; by default all up to 64 nodes, else the busiest of qs, dl, dc and dr, and none of the others" },
  nics: { kind: "switch", usual: true, flag: "--no-nics", title: "NICs", help: "Draw the network cards of nodes" },
  within: { kind: "text", longest: 1000, usual: "", flag: "--within", title: "Only pod", help: "Only what a pod holds: its layer and its number, for instance 3,7" },
  split: { kind: "text", longest: 1000, usual: "", flag: "--split", title: "Split blocks", help: "Blocks of lb that are drawn as single switches: layers and numbers, for instance 3,7;4,1" },
  grouping: { kind: "number", whole: true, least: 0, most: 8, usual: 0, flag: "--grouping", title: "grouping", help: "How many layers further up the pods are that blocks of lb stand for: with 1, the first layer has groups of four switches instead of four nodes" },
  motion: { kind: "word", words: ["none", "dots", "pipes"], usual: "none", flag: "--motion", title: "motion", help: "Messages on their way at a moment: none, as dots, or as pipes that grow from the sender" },
  at: { kind: "text", longest: 24, usual: "", flag: "--at", title: "at", help: "The moment; by default the middle of the window" },
  activity: { kind: "word", words: ["now", "sum"], usual: "now", flag: "--activity", title: "activity", help: "What links and switches show meanwhile: what they carry now, which fades when it is over, or the sum since the window began" },
  "colour-messages": { kind: "word", words: ["wait", "size", "source", "destination"], usual: "wait", flag: "--colour-messages", title: "Messages by", help: "What messages are coloured by: their wait, size, source or destination" },
  turn: { kind: "text", longest: 40, usual: "35:22", flag: "--turn", title: "turn", help: "Which way to look at the picture: degrees around it and degrees above it, for instance 35:22" },
  zoom: { kind: "number", whole: false, least: 0.10000000149011612, most: 100, usual: 1, flag: "--zoom", title: "zoom", help: "How close to go: 2 is half as far away as where everything is in view" },
  aim: { kind: "text", longest: 80, usual: "0:0:0", flag: "--aim", title: "aim", help: "What stands in the middle of the picture, as a way from the middle of everything, for instance 2:0:-1" },
  lanes: { kind: "word", words: ["kinds", "workers"], usual: "kinds", flag: "--lanes", title: "Rows", help: "What rows are: kinds (workers of a node of one kind together) or workers (each by itself)" },
  "node-order": { kind: "word", words: ["number", "group"], usual: "number", flag: "--node-order", title: "Order", help: "In which order nodes stand: number, or group (those of the shown step, the slowest first)" },
  outliers: { kind: "switch", usual: true, flag: "--no-outliers", title: "Outliers", help: "Mark tasks that took unusually long: more than 1.5 interquartile ranges above the upper quartile of their type and kind of worker" },
  function: { kind: "text", longest: 1000, usual: "", flag: "--function", title: "Function", help: "Whose calls are counted; by default those of the function that is highlighted, or else that takes most time" },
  counter: { kind: "text", longest: 1000, usual: "", flag: "--counter", title: "Counter", help: "The counter whose values are counted by their size, instead of calls by their duration: a name, or a part of one" },
  bins: { kind: "word", words: ["log", "linear"], usual: "log", flag: "--bins", title: "Durations", help: "How durations or values are spaced" },
  shade: { kind: "word", words: ["calls", "time"], usual: "calls", flag: "--shade", title: "Colour", help: "What colours mean: how many calls or values, or how long they take together" },
  order: { kind: "word", words: ["rank", "cluster", "node", "lateness"], usual: "rank", flag: "--order", title: "Order of rows", help: "Order of rows: by rank, by cluster, by node of the machine, or the rank with the largest lateness first" },
  fold: { kind: "word", words: ["none", "cluster", "node", "path"], usual: "none", flag: "--fold", title: "Fold rows", help: "One row per cluster or per node instead of one per rank; it shows the rank that stands for them. Or path: only the ranks that the critical path visits in the window, and a few that wait most" },
  members: { kind: "id", usual: null, flag: "--members", title: "Members of", help: "Rows are the members of this communicator, given by its number, in its order and with its numbers" },
  mappings: { kind: "text", longest: 1000, usual: "", flag: "--mappings", title: "mappings", help: "Mappings to compare, separated by semicolons; by default TXYZ;XYZT;tile;tiltZ;tiltZY in three dimensions" },
  along: { kind: "text", longest: 1000, usual: "", flag: "--along", title: "Look along", help: "The dimension that one looks along, by name; by default the last of three" },
  plane: { kind: "text", longest: 1000, usual: "", flag: "--plane", title: "plane", help: "The dimensions across and down, by name, for instance a,c; by default those that follow from the first" },
  slice: { kind: "text", longest: 1000, usual: "", flag: "--slice", title: "slice", help: "Where to cut the other dimensions of more than three, for instance d=1,e=0; by default at 0" },
  links: { kind: "word", words: ["concentric", "horizontal", "vertical", "none"], usual: "concentric", flag: "--links", title: "links", help: "Which links of the plane are drawn: rings about the centre, or all that are horizontal, all that are vertical, or none" },
  diagonals: { kind: "switch", usual: true, flag: "--no-diagonals", title: "diagonals", help: "Draw links along the dimension that one looks along" },
  stubs: { kind: "switch", usual: true, flag: "--no-stubs", title: "Wrap stubs", help: "Draw links that wrap around as stubs" },
  roll: { kind: "text", longest: 1000, usual: "", flag: "--roll", title: "roll", help: "The node that is moved to the corner where all coordinates are 0, for instance 4,4,4: a torus has no centre of its own" },
  volume: { kind: "word", words: ["bytes", "messages", "bandwidth", "wait"], usual: "bytes", flag: "--volume", title: "Cells", help: "What cells show: bytes or messages that were sent; bandwidth, bytes per second from sending to completed receive; or wait, for how long a receive waited for its message" },
  tree: { kind: "switch", usual: false, flag: "--tree", title: "Call tree", help: "List call paths, each below what it was called from, rather than functions" },
  "by-rank": { kind: "switch", usual: false, flag: "--by-rank", title: "By rank", help: "List ranks, with the numbers of the selected or highlighted function, else of all calls" },
  sort: { kind: "word", words: ["time", "exclusive", "inclusive", "calls", "mean", "shortest", "longest", "most", "least", "imbalance", "name"], usual: "time", flag: "--sort", title: "Sort by", help: "What rows are sorted by, the largest first; time is exclusive in a list and inclusive in a tree" },
  reverse: { kind: "switch", usual: false, flag: "--reverse", title: "Reverse", help: "Sort the other way round" },
  search: { kind: "text", longest: 1000, usual: "", flag: "--search", title: "Search", help: "Only rows whose names contain this text, whatever the case; in a tree with the way to them" },
  branches: { kind: "text", longest: 1000, usual: "", flag: "--branches", title: "Open call paths", help: "What is open in a tree: all, none, or what has room if neither is said; then +KEY and -KEY for call paths that are open or closed all the same" },
  "first-row": { kind: "number", whole: true, least: 0, most: 100000000, usual: 0, flag: "--first-row", title: "First row", help: "Rows that are scrolled over" },
  row: { kind: "text", longest: 1000, usual: "", flag: "--row", title: "Row", help: "The row that one is at, as the page writes it" },
  path: { kind: "word", words: ["", "on", "off"], usual: "", flag: "--path", title: "Critical path", help: "Draw the critical path: the chain of work and messages that decided how long the run took; by default where colours show who waits" },
  magnify: { kind: "word", words: ["", "on", "off"], usual: "", flag: "--magnify", title: "Magnify findings", help: "Draw rows of whom something was found higher than others; by default where colours show who waits" },
  tracks: { kind: "switch", usual: false, flag: "--tracks", title: "tracks", help: "Draw counters as tracks below the rows of their locations, as many as there is room for; --metrics chooses which" },
  "links-in-2d": { kind: "switch", usual: false, flag: "--links-in-2d", title: "Links as in 2D", help: "Draw only the links that the projected view draws" },
  fade: { kind: "switch", usual: true, flag: "--no-fade", title: "Fade the rest", help: "Let what is not selected fade" },
  "process-grid": { kind: "switch", usual: false, flag: "--process-grid", title: "Process grid", help: "Draw the program's grid of ranks beside the machine" },
};

/** What is computed on demand. */
export type AnalysisName = "logical" | "clusters" | "network" | "progress" | "diagnosis" | "profile" | "messages" | "values" | "kinds" | "by-rank" | "chosen";

/** Which options decide the result of an analysis. */
export const ANALYSES: { readonly [A in AnalysisName]: readonly OptionName[] } = {
  logical: ["common-caller", "wait-all", "coalesce-isends", "leap-merge", "leap-skip", "same-size", "merge-overlapping", "collective-borders", "stepping", "phase-function", "metric"],
  clusters: ["common-caller", "wait-all", "coalesce-isends", "leap-merge", "leap-skip", "same-size", "merge-overlapping", "collective-borders", "stepping", "phase-function", "metric", "scope", "distance", "clusters", "samples", "seed"],
  network: ["topology", "ranks-per-node", "mapping", "routing", "link-bandwidth", "pattern", "collectives", "traffic", "link-counter", "sections"],
  progress: ["work", "weights", "in-flight", "bound-workers", "time-steps"],
  diagnosis: [],
  profile: [],
  messages: [],
  values: [],
  kinds: [],
  "by-rank": [],
  chosen: [],
};

/** What a view of the server is. */
export interface ViewSpec {
  /** What its axes run over. */
  x: "time" | "steps" | "columns" | "across" | "values";
  y: "rows" | "down" | "values";
  /** What it heeds. */
  options: readonly OptionName[];
  /** What it may rest on. */
  analyses: readonly AnalysisName[];
  /** One sentence, without a full stop. */
  about: string;
}

export const VIEWS: Readonly<Record<string, ViewSpec>> = {
  activity: { x: "time", y: "values", options: [], analyses: [], about: "Share of the ranks in each function over time, stacked" },
  calls: { x: "time", y: "values", options: ["style", "y", "scale", "opacity", "omin", "durations", "bytes", "communicator", "colour"], analyses: ["kinds", "by-rank", "chosen"], about: "Every call by time and duration, whatever its rank" },
  clusters: { x: "steps", y: "values", options: ["metric", "range", "sums", "relative", "aggregates", "palette", "colour", "messages", "cause", "radius", "focus", "open", "idle", "common-caller", "wait-all", "coalesce-isends", "leap-merge", "leap-skip", "same-size", "merge-overlapping", "collective-borders", "stepping", "phase-function", "scope", "distance", "clusters", "samples", "seed"], analyses: ["clusters"], about: "Ranks that behave alike as one row each over logical steps, and focus ranks above" },
  counters: { x: "time", y: "values", options: ["metrics", "rates"], analyses: [], about: "Counters over time: least, mean and largest value of every pixel column" },
  density: { x: "values", y: "values", options: ["shown-step", "group-colour", "labels", "bandwidth", "min-depth", "densities", "work", "weights", "in-flight", "bound-workers", "time-steps"], analyses: ["progress"], about: "Density of the nodes' progress at a step, with the cuts that make groups of it" },
  distribution: { x: "values", y: "values", options: ["shown-step", "group-colour", "labels", "bandwidth", "min-depth", "work", "weights", "in-flight", "bound-workers", "time-steps"], analyses: ["progress"], about: "Which node has which tile of the matrix that tasks work on" },
  dragonfly: { x: "values", y: "values", options: ["groups-as", "group", "direction", "loads", "nodes", "only-selected", "topology", "ranks-per-node", "mapping", "routing", "link-bandwidth", "pattern", "collectives", "traffic", "link-counter", "sections"], analyses: ["network"], about: "A dragonfly: what its groups send each other, and what goes on within them" },
  fattree: { x: "values", y: "values", options: ["as", "cells", "switches", "size-by", "shape-by", "height-by", "wires", "nics", "within", "split", "grouping", "direction", "loads", "nodes", "only-selected", "motion", "at", "activity", "colour-messages", "turn", "zoom", "aim", "topology", "ranks-per-node", "mapping", "routing", "link-bandwidth", "pattern", "collectives", "traffic", "link-counter", "sections", "common-caller", "wait-all", "coalesce-isends", "leap-merge", "leap-skip", "same-size", "merge-overlapping", "collective-borders", "stepping", "phase-function", "metric", "scope", "distance", "clusters", "samples", "seed"], analyses: ["network", "clusters"], about: "A fat-tree: nodes, and how full its switches are, in seven representations" },
  gantt: { x: "time", y: "rows", options: ["shown-step", "group-colour", "labels", "bandwidth", "min-depth", "lanes", "node-order", "outliers", "work", "weights", "in-flight", "bound-workers", "time-steps"], analyses: ["progress"], about: "Tasks over time: how busy each node and kind of worker is, or every task of each worker" },
  histogram: { x: "values", y: "rows", options: ["function", "counter", "bins", "shade"], analyses: ["profile", "values"], about: "Calls of one function by rank and duration, or values of one counter by rank: who differs, and how often" },
  logical: { x: "steps", y: "rows", options: ["metric", "range", "sums", "relative", "aggregates", "palette", "colour", "messages", "cause", "order", "fold", "members", "open", "common-caller", "wait-all", "coalesce-isends", "leap-merge", "leap-skip", "same-size", "merge-overlapping", "collective-borders", "stepping", "phase-function", "scope", "distance", "clusters", "samples", "seed"], analyses: ["logical", "clusters", "diagnosis"], about: "Ranks over logical steps, coloured by how late each event is" },
  mappings: { x: "values", y: "values", options: ["mappings", "along", "plane", "slice", "links", "diagonals", "stubs", "roll", "direction", "loads", "nodes", "only-selected", "topology", "ranks-per-node", "mapping", "routing", "link-bandwidth", "pattern", "collectives", "traffic", "link-counter", "sections"], analyses: ["network"], about: "Mappings of ranks to a torus side by side: small maps under one colour scale, and figures" },
  matrix: { x: "columns", y: "rows", options: ["volume", "communicator", "order", "fold", "members", "open", "common-caller", "wait-all", "coalesce-isends", "leap-merge", "leap-skip", "same-size", "merge-overlapping", "collective-borders", "stepping", "phase-function", "metric", "scope", "distance", "clusters", "samples", "seed"], analyses: ["messages", "logical", "clusters", "diagnosis"], about: "Who sent how much to whom, how fast, and who waited for it: senders by receivers" },
  metric: { x: "steps", y: "values", options: ["metric", "range", "sums", "relative", "aggregates", "palette", "common-caller", "wait-all", "coalesce-isends", "leap-merge", "leap-skip", "same-size", "merge-overlapping", "collective-borders", "stepping", "phase-function"], analyses: ["logical"], about: "A metric summed over the events of each logical step" },
  minimaps: { x: "values", y: "values", options: ["along", "plane", "slice", "links", "diagonals", "stubs", "roll", "direction", "loads", "nodes", "only-selected", "topology", "ranks-per-node", "mapping", "routing", "link-bandwidth", "pattern", "collectives", "traffic", "link-counter", "sections"], analyses: ["network"], about: "A small map of a torus for each way to look at it: each line is the mean of a bundle of links" },
  profile: { x: "values", y: "values", options: ["tree", "by-rank", "sort", "reverse", "search", "branches", "first-row", "row"], analyses: ["profile"], about: "Time and calls of every function, as a list, as a tree of who calls whom, or rank by rank" },
  progress: { x: "time", y: "values", options: ["shown-step", "group-colour", "labels", "bandwidth", "min-depth", "work", "weights", "in-flight", "bound-workers", "time-steps"], analyses: ["progress"], about: "Share of its own work that each node has done over time, with groups of nodes and lower bounds" },
  ranks: { x: "columns", y: "values", options: [], analyses: ["diagnosis"], about: "What each rank costs the others, and how it spends its own time" },
  slices: { x: "values", y: "values", options: ["along", "plane", "slice", "links", "diagonals", "stubs", "roll", "direction", "loads", "nodes", "only-selected", "topology", "ranks-per-node", "mapping", "routing", "link-bandwidth", "pattern", "collectives", "traffic", "link-counter", "sections"], analyses: ["network"], about: "A torus of more than three dimensions, slice by slice, each as a small map" },
  timeline: { x: "time", y: "rows", options: ["colour", "messages", "cause", "metric", "range", "sums", "relative", "aggregates", "palette", "path", "magnify", "tracks", "metrics", "rates", "order", "fold", "members", "open", "common-caller", "wait-all", "coalesce-isends", "leap-merge", "leap-skip", "same-size", "merge-overlapping", "collective-borders", "stepping", "phase-function", "scope", "distance", "clusters", "samples", "seed"], analyses: ["logical", "clusters", "diagnosis"], about: "Ranks over time, coloured by what they do" },
  torus: { x: "across", y: "down", options: ["along", "plane", "slice", "links", "diagonals", "stubs", "roll", "direction", "loads", "nodes", "only-selected", "motion", "at", "activity", "colour-messages", "topology", "ranks-per-node", "mapping", "routing", "link-bandwidth", "pattern", "collectives", "traffic", "link-counter", "sections", "common-caller", "wait-all", "coalesce-isends", "leap-merge", "leap-skip", "same-size", "merge-overlapping", "collective-borders", "stepping", "phase-function", "metric", "scope", "distance", "clusters", "samples", "seed"], analyses: ["network", "clusters"], about: "The links of a torus projected to a plane, coloured by what they carry" },
  torus3d: { x: "values", y: "values", options: ["along", "plane", "slice", "links", "diagonals", "stubs", "roll", "direction", "loads", "nodes", "only-selected", "motion", "at", "activity", "colour-messages", "links-in-2d", "fade", "process-grid", "turn", "zoom", "aim", "topology", "ranks-per-node", "mapping", "routing", "link-bandwidth", "pattern", "collectives", "traffic", "link-counter", "sections", "common-caller", "wait-all", "coalesce-isends", "leap-merge", "leap-skip", "same-size", "merge-overlapping", "collective-borders", "stepping", "phase-function", "metric", "scope", "distance", "clusters", "samples", "seed"], analyses: ["network", "clusters"], about: "A torus in space: nodes, and the load of the links between them" },
};

/** The text of each kind of selection, for tests on both sides. */
export const SELECTIONS: readonly string[] = ["span:3:17", "event:9:26", "message:3:17:0", "phase:12", "ranks:0-3,7", "cluster:5", "nodes:*,*,5;0-3,2,1", "link:1,6,5>2,6,5", "function:MPI_Send", "window:5:10", "window:5:10:1.5:2000", "area:5:10:0-3,7", "messages:0-3,7>8", "messages:0-3>4-7:2", "calls:100:2000:0-3,7:a: b"];
