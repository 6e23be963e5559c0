import { expect, it } from "vitest";
import { middleOut, share, times } from "./words";

it("never rounds something to nothing, nor less than all to all", () => {
  expect([0, 0.0002, 0.176, 0.9999, 1].map(share)).toEqual(["0.0 %", "<0.1 %", "17.6 %", ">99.9 %", "100.0 %"]);
  expect([5.97, 18.7].map(times)).toEqual(["6.0×", "19×"]);
});

it("keeps both ends of a long name", () => {
  expect(middleOut("dgemm", 20)).toBe("dgemm");
  expect(middleOut("starpu_pdlu_lu_model_22", 20)).toBe("starpu_…_lu_model_22");
  expect(middleOut("starpu_pdlu_lu_model_22", 20)).toHaveLength(20);
});
