/** Functions by the waiting that they cause, with figures in per cent that add up. Pure. */
import type { DiagnosisTold, FunctionTold } from "../../../api/types";
import { roundedTogether } from "../../../base/together";

export interface CostPart {
  label: string;
  finding: number | null;
  cost: number;
}

export interface CostRow {
  /** Null for what stands for several functions. */
  told: FunctionTold | null;
  name: string;
  time: number;
  cost: number;
  parts: CostPart[];
}

/** What is not divided any further. */
type Leaf = Pick<FunctionTold["parts"][number], "finding" | "cost_share">;

export interface Costs {
  rows: CostRow[];
  /** All waiting. */
  total: number;
}

/** More functions than these stand together. */
const MOST = 7;
/** Shares in per cent have one decimal. */
const STEP = 0.1;

/** The figure of a finding, if its cost is all in this part. */
function figureOf({ findings }: Pick<DiagnosisTold, "findings">, number: number | null, cost: number): number | null {
  const finding = number === null ? undefined : findings[number - 1];
  if (finding === undefined || Math.abs(finding.cost_share - cost) > 1e-6) return null;
  const figure = Number.parseFloat(finding.cost_text);
  return Number.isFinite(figure) ? figure : null;
}

/** The functions that cost or take most, and the others as one, if those are several. */
function gathered(functions: readonly FunctionTold[]): FunctionTold[] {
  const isLarge = (one: FunctionTold) => Math.max(one.time_share, one.cost_share) * 100 >= STEP / 2;
  const large = functions.filter(isLarge).slice(0, MOST);
  const rest = functions.filter((one) => !large.includes(one));
  if (rest.length < 2) return [...functions];
  const sum = (of: (one: FunctionTold) => number) => rest.reduce((all, one) => all + of(one), 0);
  const others: FunctionTold = {
    region: null,
    name: `${rest.length} others`,
    time_share: sum((one) => one.time_share),
    cost_share: sum((one) => one.cost_share),
    parts: [],
  };
  return [...large, others];
}

/**
 * Parts are rounded together, and a function costs what its parts do. A part that is all of a finding has the figure of its
 * card.
 */
export function costsOf(told: Pick<DiagnosisTold, "functions" | "findings">): Costs {
  const all = gathered(told.functions);
  const leaves = all.flatMap((one): Leaf[] => (one.parts.length > 0 ? one.parts : [{ ...one, finding: null }]));
  const fixed = leaves.map(({ finding, cost_share }) => figureOf(told, finding, cost_share));
  const total = Math.round(leaves.reduce((sum, leaf) => sum + leaf.cost_share, 0) * 1000) / 10;
  const free = leaves.flatMap((leaf, at) => (fixed[at] === null ? [leaf.cost_share * 100] : []));
  const known = fixed.reduce<number>((sum, figure) => sum + (figure ?? 0), 0);
  const rounded = roundedTogether(free, STEP, Math.max(total - known, 0));
  const figures = fixed.map((figure) => figure ?? rounded.shift() ?? 0);
  const times = roundedTogether(
    all.map((one) => one.time_share * 100),
    STEP,
  );
  const rows = all.map((one, at): CostRow => {
    const own = figures.splice(0, Math.max(one.parts.length, 1));
    return {
      told: one.region === null && one.parts.length === 0 ? null : one,
      name: one.name,
      time: times[at] ?? 0,
      cost: own.reduce((sum, figure) => sum + figure, 0),
      parts: one.parts
        .map(({ label, finding }, part) => ({ label, finding, cost: own[part] ?? 0 }))
        // What rounds to nothing says nothing.
        .filter(({ cost }) => cost > STEP / 2),
    };
  });
  return { rows, total: rows.reduce((sum, { cost }) => sum + cost, 0) };
}
