import { expect, it } from "vitest";
import { thicknesses, wayWidth } from "./ways";

it("draws ways as thick as the server does", () => {
  expect([wayWidth(1, 30), wayWidth(30, 30), wayWidth(1, 1)]).toEqual([1.2, 7.5, 7.5]);
  expect(wayWidth(10, 30)).toBeCloseTo(4.71, 2);
  expect([wayWidth(1, 256), wayWidth(256, 256)]).toEqual([0.8, 10]);
});

it("names round numbers of nodes", () => {
  expect(thicknesses(30)).toEqual([1, 10, 20, 30]);
  expect(thicknesses(256)).toEqual([1, 50, 100, 150]);
  expect([thicknesses(1), thicknesses(2), thicknesses(4)]).toEqual([[1], [1, 2], [1, 2, 3]]);
});
