/** Shares of the window's time, from the profile that `state/` keeps up to date. */
import { profile } from "../../state/state";

/** Per cent of the window's time in each communication region, by id; null until it is known. */
export function regionShares(): Map<number, number> | null {
  const now = profile.answer.value;
  const available = Number(now?.available_ns ?? 0);
  if (!now || !(available > 0)) return null;
  return new Map(now.regions.map((region) => [region.id, (100 * Number(region.ns)) / available]));
}

/** What the rest of the time is called: computing, where that is known. */
export function restName(): string {
  return profile.answer.value?.rest ?? "";
}

/** Per cent of the window's time in none of them. */
export function restShare(): number | null {
  const shares = regionShares();
  if (!shares) return null;
  let sum = 0;
  for (const share of shares.values()) sum += share;
  return Math.max(100 - sum, 0);
}
