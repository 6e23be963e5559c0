/** Once for all tests: traces, the servers that show them, and the browser. */
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { launchOptions } from "./chromium";
import { Heddle } from "./heddle";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the browser listens. */
    browser: string;
    /** Printed addresses of the servers, by the name of what they show. */
    urls: Record<TraceName, string>;
  }
}

/** `small`: 4 ranks. `slow`: 256 ranks, one of them slower. `large`: 16,384 ranks. `matrix`: operations on matrices, 64 ranks. */
export type TraceName = "small" | "slow" | "large" | "matrix";

const TRACES: Record<TraceName, string[]> = {
  small: ["--ranks", "4", "--iterations", "10"],
  slow: ["--ranks", "256", "--iterations", "40", "--slow-rank", "37"],
  large: ["--ranks", "16384", "--iterations", "3"],
  matrix: ["--ranks", "64"],
};

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const heddle = new Heddle();
  const browser = await chromium.launchServer(launchOptions());
  const end = async () => {
    await browser.close();
    await heddle.end();
  };
  try {
    const open = async ([name, options]: [string, string[]]) => {
      const server = await heddle.serve([
        "open",
        await heddle.simulate(name, options, "heddle", name === "matrix" ? "scalapack" : "halo"),
      ]);
      return [name, server.url] as const;
    };
    const urls = Object.fromEntries(await Promise.all(Object.entries(TRACES).map(open)));
    project.provide("browser", browser.wsEndpoint());
    project.provide("urls", urls as Record<TraceName, string>);
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}
