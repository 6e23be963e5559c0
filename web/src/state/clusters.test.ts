import { expect, it } from "vitest";
import type { ClustersAbout } from "../api/types";
import { afterToggle, openJoints } from "./clusters";

/** Four leaves; 4 joins 0 and 1, 5 joins 2 and 3, 6 is the root. */
const ABOUT: ClustersAbout = {
  phase: 3,
  is_run: false,
  steps: [10, 20],
  ranks: 40,
  leaves: 4,
  joints: [
    [0, 1],
    [2, 3],
    [4, 5],
  ],
  sizes: [10, 10, 10, 10, 20, 20, 40],
  usual: [6],
};

it("opens and closes joints, and forgets what is as usual", () => {
  expect(openJoints(ABOUT, "")).toEqual([6]);
  expect(afterToggle(ABOUT, "", 4)).toBe("4,6");
  expect(afterToggle(ABOUT, "4,6", 4)).toBe("");
  expect(afterToggle(ABOUT, "", 6)).toBe("none");
  expect(afterToggle(ABOUT, "none", 6)).toBe("");
});
