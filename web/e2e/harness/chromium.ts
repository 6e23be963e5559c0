/** Which browser, and how it is started: without a screen, a profile of its own, and nothing of its own on the network. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { LaunchOptions } from "playwright-core";

const PROGRAMS = ["chromium", "chromium-browser", "google-chrome"];

/** The size of all windows, unless a test says otherwise. */
export const VIEWPORT = { width: 1600, height: 1000 };

function program(): string {
  const said = process.env.HEDDLE_CHROMIUM;
  if (said) return said;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const files = PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = files.find((file) => existsSync(file));
  if (!found) throw new Error("Chromium is missing: install the package chromium, or set HEDDLE_CHROMIUM");
  return found;
}

export function launchOptions(): LaunchOptions {
  return {
    executablePath: program(),
    headless: true,
    args: [
      // The tests also run in containers, as root; what is opened is our own page.
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  };
}
