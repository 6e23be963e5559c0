/** Pods of a fat-tree: the parts that hang together up to a layer, by number in the order of their nodes. */
import { formatCount } from "../../../base/format";
import { aboutMachine } from "../network/data";

export interface Pod {
  layer: number;
  number: number;
}

/** The pod that an option names; null for the whole machine. */
export function readPod(text: string): Pod | null {
  const match = /^(\d{1,3}),(\d{1,9})$/.exec(text);
  return match && { layer: Number(match[1]), number: Number(match[2]) };
}

export function writePod({ layer, number }: Pod): string {
  return `${layer},${number}`;
}

/** How many pods a layer has; 0 where that is not known. */
export function podsOf(layer: number): number {
  return aboutMachine.value?.pods[layer - 1] ?? 0;
}

/** How many nodes each pod of a layer has; null where they differ. */
export function nodesOf(layer: number): number | null {
  const [nodes, pods] = [aboutMachine.value?.nodes ?? 0, podsOf(layer)];
  return pods > 0 && nodes % pods === 0 ? nodes / pods : null;
}

/** A pod in words: by its nodes where all pods have as many. */
export function podWords(text: string): string {
  const pod = readPod(text);
  if (pod === null) return "whole machine";
  const nodes = nodesOf(pod.layer);
  if (nodes === null) return `pod ${pod.number} of layer ${pod.layer}`;
  const from = pod.number * nodes;
  return `nodes ${formatCount(from)}–${formatCount(from + nodes - 1)}`;
}

/** The pod that some switches of a layer are, by their first and last number; null if they are none or several. */
export function podOfSwitches(layer: number, from: number, to: number): Pod | null {
  const [switches, pods] = [aboutMachine.value?.layers[layer - 1] ?? 0, podsOf(layer)];
  if (pods === 0 || switches % pods !== 0) return null;
  const each = switches / pods;
  const number = Math.floor(from / each);
  return number === Math.floor(to / each) && number < pods ? { layer, number } : null;
}

/** The pod of a layer that lies in the middle of the machine, of at most so many nodes; "" if the whole machine has no more. */
export function middlePod(most: number, { nodes, pods }: { nodes: number; pods: readonly number[] }): string {
  if (nodes <= most) return "";
  const layer = pods.findLastIndex((count) => count > 1 && nodes / count <= most);
  return layer < 0 ? "" : writePod({ layer: layer + 1, number: Math.floor((pods[layer] ?? 1) / 8) });
}
