/** What somebody sees of logical time at first: boxes around what is latest, scales that stay, words instead of flags. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { AnalysisState, Largest, LogicalAbout } from "../src/api/types";
import { Heddle } from "./harness/heddle";
import { open, type Visit } from "./harness/visit";

const heddle = new Heddle();
afterAll(() => heddle.end());

async function about(visit: Visit, trace: string): Promise<LogicalAbout> {
  await visit.drawn();
  const answer = await visit.api<AnalysisState<"logical">>(`traces/${trace}/analysis/logical`);
  if (answer.state !== "ready") throw new Error(`logical time is ${answer.state}`);
  return answer.about;
}

/** Two ranks of a PyTorch program whose collectives run on streams of their accelerators. */
function training(): string {
  const folder = join(heddle.folder, "training");
  mkdirSync(folder, { recursive: true });
  for (const rank of [0, 1]) {
    const args = {
      stream: 7,
      "Collective name": "allreduce",
      "In msg nelems": 1024,
      "Out msg nelems": 1024,
      "Group size": 2,
      dtype: "Float",
      "Process Group Name": "0",
      "Process Group Ranks": "[0, 1]",
    };
    const kernel = { ph: "X", cat: "kernel", name: "ncclDevKernel_AllReduce_Sum_f32_RING_LL", pid: rank, tid: 7, args };
    const traceEvents = [
      { ph: "X", cat: "cpu_op", name: "aten::mm", pid: 10, tid: 10, ts: 0, dur: 100 },
      { ph: "X", cat: "cpu_op", name: "aten::add", pid: 10, tid: 10, ts: 120, dur: 60 },
      { ...kernel, ts: 50, dur: 100 },
      { ...kernel, ts: 160, dur: 100 },
    ];
    const distributedInfo = { backend: "nccl", rank, world_size: 2 };
    writeFileSync(join(folder, `rank${rank}.json`), JSON.stringify({ schemaVersion: 1, distributedInfo, traceEvents }));
  }
  return folder;
}

describe("logical time begins", () => {
  it("with as many steps as have room for boxes, around the latest; all steps are a key away", async () => {
    const few = await heddle.simulate("few", ["--ranks", "4", "--iterations", "60", "--slow-rank", "2"]);
    const visit = await open(await heddle.serve(["open", few]), { at: "" });
    const { steps: all, latest_step: latest } = await about(visit, "few");
    await expect.poll(() => visit.window("steps")).not.toBeNull();
    const [from, to] = (await visit.window("steps")) ?? [0, 0];
    expect(to - from).toBeLessThan(all / 4);
    expect(latest).toBeGreaterThanOrEqual(from);
    expect(latest).toBeLessThan(to);
    // Time follows, and nothing of it is an entry to go back to.
    await expect.poll(() => visit.window("time")).not.toBeNull();
    expect(await visit.get("undo").isDisabled()).toBe(true);
    await visit.page.keyboard.press("0");
    await expect.poll(() => visit.window("steps")).toBeNull();
    // Once it was left for all steps, it stays with them.
    await visit.page.getByRole("button", { name: "Overview", exact: true }).click();
    await visit.page.getByRole("button", { name: "Logical time", exact: true }).click();
    await visit.drawn();
    expect(await visit.window("steps")).toBeNull();
    expect(await visit.page.getByRole("button", { name: "all steps" }).isDisabled()).toBe(true);
  });

  it("with all steps where a link says so, and where there are too many ranks for boxes", async () => {
    const said = await open("small", { at: "layout=logical" });
    await about(said, "small");
    expect(await said.window("steps")).toBeNull();
    const many = await open("slow", { at: "layout=overview" });
    await many.drawn();
    await many.page.getByRole("button", { name: "Logical time", exact: true }).click();
    await about(many, "slow");
    expect(await many.window("steps")).toBeNull();
  });

  it("not at all where communication is on rows that it has none of", async () => {
    const visit = await open(await heddle.serve(["open", training()]), { at: "" });
    await expect.poll(() => visit.field("layout")).toBe("overview");
    await visit.drawn();
    expect(await visit.pane("timeline").count()).toBe(1);
  });
});

describe("the scale of a metric", () => {
  it("stays when one goes to another trace to compare, and can be fitted to it", async () => {
    const broken = await heddle.simulate("broken", ["--ranks", "16", "--iterations", "20", "--slow-rank", "2"]);
    const fixed = await heddle.simulate("fixed", ["--ranks", "16", "--iterations", "20"]);
    const visit = await open(await heddle.serve(["open", broken, fixed]), { at: "" });
    await visit.page.goto(`${visit.origin}/#v=1&trace=broken&layout=logical`);
    const before = await about(visit, "broken");
    const words = await visit.get("metric-key").innerText();
    await visit.get("trace-select").selectOption("fixed");
    const after = await about(visit, "fixed");
    expect(Number(after.largest.lateness)).toBeLessThan(Number(before.largest.lateness));
    expect(await visit.field("range")).toBe(`0:${before.largest.lateness}`);
    expect(await visit.field("sums")).toBe(`0:${before.largest_sum.lateness}`);
    await expect.poll(() => visit.get("metric-key").innerText()).toBe(words);
    await visit.page.getByRole("button", { name: "fit to run" }).click();
    await expect.poll(() => visit.field("range")).toBeNull();
    expect(await visit.field("sums")).toBeNull();
    await expect.poll(() => visit.get("metric-key").innerText()).not.toBe(words);
  });

  it("is fitted to what is in sight", async () => {
    const visit = await open("slow", { at: "layout=logical&steps=2:9&rows=100:120" });
    await about(visit, "slow");
    await visit.page.getByRole("button", { name: "fit to window" }).click();
    const { largest } = await visit.api<Largest>("traces/slow/largest?steps=2:9&rows=100:120");
    await expect.poll(() => visit.field("range")).toBe(`0:${largest}`);
  });
});

describe("colours by kind", () => {
  it("have a key, and the details say the same", async () => {
    const visit = await open("small", { at: "layout=logical&select=event:1:0" });
    await about(visit, "small");
    await visit.page.getByRole("button", { name: "colour by kind of event" }).click();
    await expect.poll(() => visit.field("colour")).toBe("kind");
    await visit.drawn();
    await expect.poll(() => visit.get("kind-key").locator("li").count()).toBe(5);
    const words = await visit.get("kind-key").innerText();
    for (const word of ["send", "receive", "wait that receives", "collective"]) expect(words).toContain(word);
    await expect.poll(() => visit.get("details").innerText()).toMatch(/Kind\s+send/);
  });
});

describe("options of logical time", () => {
  it("are words; flags are in their tooltips", async () => {
    const visit = await open("small", { at: "layout=logical" });
    await about(visit, "small");
    await visit.get("options").click();
    const panel = visit.get("logical-options");
    expect(await panel.innerText()).not.toMatch(/leap-merge|common-caller|same-size/);
    const grow = panel.locator("label", { hasText: "Grow phases to all ranks" });
    expect(await grow.getAttribute("title")).toMatch(/\(--leap-merge\)$/);
    await grow.click();
    await expect.poll(() => visit.field("leap-merge")).toBe("1");
  });

  it("and the key for the whole run is among those on the page", async () => {
    const visit = await open("small");
    await visit.drawn();
    await visit.page.keyboard.press("?");
    expect(await visit.get("help").innerText()).toMatch(/Whole run\s+0/);
  });
});
