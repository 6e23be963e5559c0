import { expect, it } from "vitest";
import { stepHit } from "./step-hit";

it("understands steps and phases, and nothing else", () => {
  expect(stepHit("step 120", 500)).toMatchObject({ kind: "step", number: 120, label: "Step 120" });
  expect(stepHit(" Phase12 ", 500)).toMatchObject({ kind: "phase", number: 12 });
  for (const text of ["step", "step 500", "steps 3", "rank 3", "phase -1"]) expect(stepHit(text, 500)).toBeNull();
  expect(stepHit("step 0", null)).toBeNull();
});
