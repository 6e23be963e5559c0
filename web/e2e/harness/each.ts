/** Around each test: pages are closed, and must have kept the rules that hold everywhere. */
import { afterEach } from "vitest";
import { closeVisits } from "./visit";

afterEach(async ({ task }) => {
  await closeVisits(task.result?.state === "fail" ? task.name : null);
});
