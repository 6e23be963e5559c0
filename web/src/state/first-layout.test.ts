import { expect, it } from "vitest";
import { FEW_RANKS, firstLayout } from "./first-layout";

it("begins with logical time for few ranks that talk, else with the overview", () => {
  const info = { views: ["activity", "timeline", "logical", "metric"], logical: true, ranks: 16, rows_main: 16 };
  expect(firstLayout(info)).toBe("logical");
  expect(firstLayout({ ...info, ranks: FEW_RANKS, rows_main: FEW_RANKS })).toBe("logical");
  expect(firstLayout({ ...info, ranks: FEW_RANKS + 1, rows_main: FEW_RANKS + 1 })).toBe("overview");
  expect(firstLayout({ ...info, logical: false })).toBe("overview");
  expect(firstLayout({ ...info, ranks: 1, rows_main: 1 })).toBe("overview");
  expect(firstLayout({ ...info, views: ["activity", "timeline"] })).toBe("overview");
});
