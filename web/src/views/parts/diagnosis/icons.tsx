/** What kind of thing was found, as a small picture. */

/** Strokes on a ground of 20 by 20. */
const SHAPES = {
  node: "M3 4h14v4H3zM3 11h14v4H3zM6 6h.1M6 13h.1M9.500 6h5M9.500 13h5",
  rising: "M3 16h14M4 13l4-2 3 1 5-8M12.500 4H16v3.500",
  stall: "M7.200 4v12M12.800 4v12",
  waves: "M2 10h2.500l1.500-6 3 12 3-12 3 12 1.500-6H18",
  link: "M2 7h5v6H2zM13 7h5v6h-5zM7.500 10h1M9.500 10h1M11.500 10h1",
  network: "M10 3v4M4 17v-4h12v4M10 7v6M8 3h4M2.500 17h3M14.500 17h3M8.500 17h3M10 13v4",
  chain: "M2 5h5v3H2zM7.500 9.500h5v3h-5zM13 14h5v3h-5zM4.500 8v3h3M10 12.500v3h3",
  bars: "M4 17v-5M8 17V9M12 17V6M16 17V3",
} as const;

type Shape = keyof typeof SHAPES;

const KINDS: Readonly<Record<string, Shape>> = {
  "slow-ranks": "node",
  "slow-nodes": "node",
  drift: "rising",
  stall: "stall",
  "periodic-noise": "waves",
  noise: "waves",
  "slow-link": "link",
  "slow-card": "link",
  "late-receiver": "link",
  "wrong-order": "link",
  "slow-network": "network",
  "exposed-communication": "network",
  "serial-chain": "chain",
  "serial-work": "chain",
  imbalance: "bars",
};

export function KindIcon(props: { kind: string }) {
  const shape = KINDS[props.kind] ?? "node";
  return (
    <svg class={`kind ${shape}`} viewBox="0 0 20 20" aria-hidden="true">
      <path d={SHAPES[shape]} />
    </svg>
  );
}
