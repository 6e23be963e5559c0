import { expect, it } from "vitest";
import { rankOfRow, rowOfRank } from "./ranks";

it("rows of a filter are its ranks in order", () => {
  expect(rankOfRow("", 7)).toBe(7);
  const filter = "100,0-3,2-5,200-";
  expect([0, 5, 6, 7, 9].map((row) => rankOfRow(filter, row))).toEqual([0, 5, 100, 200, 202]);
  expect([0, 5, 100, 200, 202].map((rank) => rowOfRank(filter, rank))).toEqual([0, 5, 6, 7, 9]);
  expect(rankOfRow("0-3", 9)).toBe(3);
});
