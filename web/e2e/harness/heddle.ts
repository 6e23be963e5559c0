/** The real program: makes traces up, serves them, and is stopped as a person stops it. */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { Stop } from "../../src/api/types";

const START_MS = 30_000;
const STOP_MS = 10_000;

/** A case study, as far as tests look at it. */
export interface Case {
  name: string;
  stops: Stop[];
}

/** A running server. */
export interface Server {
  /** As printed, with the token. */
  url: string;
  origin: string;
  port: number;
  /** Ctrl-C, and waits for the end. Gives the exit code. */
  stop(): Promise<number | null>;
}

/** A folder of its own for everything that the program keeps. */
export class Heddle {
  readonly folder = mkdtempSync(join(tmpdir(), "heddle-e2e-"));
  private readonly running = new Set<Server>();

  private environment(): NodeJS.ProcessEnv {
    const own = (name: string) => {
      const folder = join(this.folder, name);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return folder;
    };
    // Nothing of the person who runs the tests is read or written, and it is no remote shell.
    const { SSH_CONNECTION: _, ...inherited } = process.env;
    return {
      ...inherited,
      HEDDLE_STORE: own("stores"),
      XDG_CACHE_HOME: own("cache"),
      XDG_RUNTIME_DIR: own("run"),
      XDG_CONFIG_HOME: own("config"),
    };
  }

  private program(): string {
    const said = process.env.HEDDLE_BIN;
    if (!said)
      throw new Error("HEDDLE_BIN must name the program to test; `cargo xtask test-page` builds it and says so");
    return said;
  }

  /** What `heddle demo` offers; at once, since tests are named after it. */
  cases(): Case[] {
    const listed = execFileSync(this.program(), ["demo", "--list", "--json"], { env: this.environment() });
    return JSON.parse(listed.toString());
  }

  /** Simulates a case study and keeps it, so that its server starts at once. */
  async prepare(name: string): Promise<void> {
    await promisify(execFile)(this.program(), ["demo", name, "--prepare"], { env: this.environment() });
  }

  /** A simulated run, of a halo exchange unless a program is named: a store, or with the ending `otf2` a trace that has yet to be imported. */
  async simulate(
    name: string,
    options: string[],
    ending: "heddle" | "otf2" = "heddle",
    program = "halo",
  ): Promise<string> {
    const file = join(this.folder, `${name}.${ending}`);
    const args = ["simulate", program, ...options, "-o", file];
    await promisify(execFile)(this.program(), args, { env: this.environment() });
    return file;
  }

  /** Starts a server (`open TRACE` or `demo`) and waits for its address. */
  async serve(args: string[], port = 0): Promise<Server> {
    const child = spawn(this.program(), [...args, "--no-browser", "--port", String(port)], {
      env: this.environment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const url = await address(child);
    const server: Server = {
      url,
      origin: new URL(url).origin,
      port: Number(new URL(url).port),
      stop: async () => {
        this.running.delete(server);
        return stop(child);
      },
    };
    this.running.add(server);
    return server;
  }

  /** Stops what still runs and removes the folder. */
  async end(): Promise<void> {
    await Promise.all([...this.running].map((server) => server.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The first line of a server, which is its address. */
function address(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    const fail = (why: string) => {
      clearTimeout(timer);
      child.kill("SIGINT");
      reject(new Error(`heddle ${why}; it said:\n${said.join("")}`));
    };
    const timer = setTimeout(() => fail("printed no address in time"), START_MS);
    child.stderr?.on("data", (bytes: Buffer) => said.push(bytes.toString()));
    child.once("error", (error) => fail(`did not start: ${error.message}`));
    child.once("exit", (code) => fail(`ended with ${code}`));
    if (!child.stdout) return fail("has no output");
    createInterface(child.stdout).once("line", (line) => {
      clearTimeout(timer);
      child.removeAllListeners("exit");
      resolve(line.trim());
    });
  });
}

function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code);
    });
    child.kill("SIGINT");
  });
}
