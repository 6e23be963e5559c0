/** Shares and lengths in words, as all panels of the progression write them. */

/** "17.6 %"; never a nought for something, nor a whole for less. */
export function share(part: number): string {
  if (part > 0 && part < 0.0005) return "<0.1 %";
  if (part < 1 && part >= 0.9995) return ">99.9 %";
  return `${(part * 100).toFixed(1)} %`;
}

/** "6.0×" */
export function times(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 1 : 0)}×`;
}

/** A long name with its middle left out: names of one program differ at their ends, mostly. */
export function middleOut(name: string, most: number): string {
  const letters = [...name];
  if (letters.length <= most) return name;
  const end = Math.ceil((most - 1) * 0.6);
  return `${letters.slice(0, most - 1 - end).join("")}…${letters.slice(-end).join("")}`;
}
