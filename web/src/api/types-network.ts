/** What the server says about a machine and the traffic on its links. */
import type { Selection } from "./selection";

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
