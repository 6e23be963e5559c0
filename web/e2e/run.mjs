/** Runs a script in TypeScript: the oldest Node that Heddle supports cannot do so by itself. */
import process from "node:process";
import { runnerImport } from "vite";

const [script, ...rest] = process.argv.slice(2);
process.argv = [process.argv[0] ?? "node", script ?? "", ...rest];
await runnerImport(`./${script}`, { configFile: false, logLevel: "warn" });
