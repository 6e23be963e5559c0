/**
 * End-to-end tests: the real program, a real browser, and hands.
 *
 * One browser and a few servers serve all files, one file after the other: drawing without a graphics card keeps all cores
 * busy already, and tests that compete for them wait for each other in ways that look like faults.
 */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["e2e/**/*.test.ts"],
    globalSetup: "e2e/harness/setup.ts",
    setupFiles: "e2e/harness/each.ts",
    fileParallelism: false,
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    expect: { poll: { timeout: 15_000, interval: 30 } },
  },
});
