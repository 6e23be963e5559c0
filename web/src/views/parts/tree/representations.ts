/** The representations of a fat-tree (Berkbigler et al., 2002), and what people call them. */
import { optionIn } from "../../../state/state";
import { aboutMachine } from "../network/data";

export const REPRESENTATIONS = [
  { name: "qs", label: "QS", title: "Layers of switches", hint: "switches above a line of nodes, flat" },
  { name: "dl", label: "DL", title: "Direct, linear", hint: "the same in space" },
  { name: "dc", label: "DC", title: "Direct, cone", hint: "nodes on a circle, a cylinder of switches above" },
  { name: "dr", label: "DR", title: "Direct, rectangular", hint: "nodes and each layer of switches on a rectangle" },
  { name: "lb", label: "LB", title: "Layered blocks", hint: "blocks of switches below a diagonal of nodes" },
  { name: "ht", label: "HT", title: "All switches", hint: "on a plane, as an H tree" },
  { name: "f1", label: "F1", title: "All switches, fractal", hint: "on a plane, as a fractal" },
] as const;

/** Nodes up to which single layers are readable. */
const FEW = 64;

/** What a pane shows; the server chooses alike where nobody says. */
export function representationOf(pane: string): string {
  return optionIn(pane, "as") || ((aboutMachine.value?.nodes ?? 0) <= FEW ? "qs" : "ht");
}

/** Whether every switch has a cell of its own on one plane. */
export function isCompact(as: string): boolean {
  return ["ht", "f1", "cells"].includes(as);
}

/** Whether everything lies on one plane, so that a third dimension is free. */
export function isFlat(as: string): boolean {
  return isCompact(as) || as === "qs";
}
