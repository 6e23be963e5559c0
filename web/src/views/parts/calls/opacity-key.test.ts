import { expect, it } from "vitest";
import { keyTicks, tickWidth } from "./opacity-key";

it("has no numbers that touch", () => {
  for (const most of [
    2, 9, 14, 95, 130, 225, 999, 1_200, 4_100, 6_200, 9_900, 12_000, 45_785, 110_000, 1e6, 3.4e6, 99e6,
  ]) {
    const ticks = keyTicks(most).map(({ at, text }) => {
      const wide = tickWidth(text);
      const from = at === 0 ? 0 : at === 1 ? 1 - wide : at - wide / 2;
      return { from, to: from + wide, text };
    });
    for (const [i, tick] of ticks.slice(1).entries())
      expect(tick.from, `${ticks[i]?.text}${tick.text}`).toBeGreaterThan((ticks[i]?.to ?? 0) + 0.019);
  }
});

it("has powers of ten and the most, and survives a single call", () => {
  expect(keyTicks(6200).map(({ text }) => text)).toEqual(["1", "10", "100", "1 k", "6.2 k"]);
  expect(keyTicks(1)).toEqual([{ at: 1, text: "1" }]);
});
