/** The hierarchy of clusters: which of its joints are open. What it looks like is drawn by the server. */
import { ANALYSES } from "../api/options";
import type { ClustersAbout } from "../api/types";
import { analysis } from "./analyses";
import { go, place } from "./history";
import { changed, optionOf, paramsOf } from "./options";

export const clusters = analysis("clusters");

/** What a question about clusters is asked with. */
export function clustersParams(): URLSearchParams {
  return paramsOf(place.value.options, [...ANALYSES.clusters, "open"]);
}

/** The joints that are open now. */
export function openJoints({ usual }: ClustersAbout, said: string): number[] {
  if (said === "") return usual;
  return said === "none" ? [] : said.split(",").map(Number);
}

/** What the option says after a joint was opened or closed; empty if that is as usual. */
export function afterToggle(about: ClustersAbout, said: string, node: number): string {
  const open = new Set(openJoints(about, said));
  if (!open.delete(node)) open.add(node);
  const next = [...open].sort((a, b) => a - b);
  const isUsual = next.join() === [...about.usual].sort((a, b) => a - b).join();
  return isUsual ? "" : next.length === 0 ? "none" : next.join();
}

/** Whether a node is a joint that can be opened, and whether it is. */
export function isOpen(node: number): boolean | null {
  const about = clusters.ready.value;
  if (about === null || node < about.leaves || node >= about.leaves + about.joints.length) return null;
  return openJoints(about, optionOf(place.value.options, "open")).includes(node);
}

/** Opens a joint of the hierarchy, or closes it. */
export function toggleCluster(node: number): void {
  const about = clusters.ready.value;
  if (about === null || isOpen(node) === null) return;
  const { options } = place.value;
  const open = afterToggle(about, optionOf(options, "open"), node);
  go({ options: changed(options, { open }) }, "push");
}
