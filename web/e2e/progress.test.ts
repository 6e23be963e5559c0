/** Progress of a program made of tasks: groups of nodes, what decides them, and the same nodes in every pane. */
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProgressTold } from "../src/api/types";
import { barriers } from "./harness/axe";
import { Heddle } from "./harness/heddle";
import { unreadable } from "./harness/texts";
import { type OpenOptions, open, type Visit } from "./harness/visit";

const heddle = new Heddle();
let server: { url: string };

/** Thirty nodes of which node 0 has a slow link: those of its row and its column of the grid follow it. */
beforeAll(async () => {
  const options = ["--nodes", "5x6", "--cpus", "3", "--gpus", "2", "--tiles", "60", "--bandwidth-of", "0:1"];
  server = await heddle.serve(["open", await heddle.simulate("lu", options, "heddle", "tasks-lu")]);
});
afterAll(() => heddle.end());

const FOLLOWERS = "1-6, 12, 18, 24";
const REST = "7-11, 13-17, 19-23, 25-29";

/** The page at a step where node 0 and its followers are apart from the rest. */
async function visitProgress(more = "labels=1", options: OpenOptions = {}): Promise<Visit> {
  const visit = await open({ url: `${server.url}&v=1&trace=lu&layout=progress&${more}` }, { at: "", ...options });
  await visit.drawn();
  await visit.get("group").first().waitFor();
  return visit;
}

const groups = (visit: Visit) => visit.get("group");
const nodesOf = (group: Locator) => group.locator(".nodes").innerText();
const allNodes = async (visit: Visit) => visit.get("group").locator(".nodes").allInnerTexts();
const slider = (visit: Visit) => visit.page.getByRole("slider", { name: "Bandwidth" });
const bars = (visit: Visit) => visit.get("spread").getByRole("button");

/** What the server says to the question that the page asked last. */
async function told(visit: Visit): Promise<ProgressTold> {
  const url = await visit.page.evaluate(
    () =>
      performance
        .getEntriesByType("resource")
        .findLast(({ name }) => /\/progress\?/.test(name) && !name.includes("/scene/") && !name.includes("/analysis/"))
        ?.name ?? "",
  );
  return (await visit.page.context().request.get(url)).json();
}

/** The step where the three groups of the slow link are apart. */
async function stepOfThree(visit: Visit): Promise<number> {
  const { instants } = await told(visit);
  const at = instants.findIndex(
    ({ groups: all }) => all.map(({ nodes }) => nodes).join("; ") === `0; ${FOLLOWERS}; ${REST}`,
  );
  expect(at, "a step with node 0, its followers, and the rest").toBeGreaterThan(0);
  return at;
}

describe("a trace of tasks", () => {
  it("begins with Progress, and says what it is", async () => {
    const visit = await open(server, { at: "" });
    await visit.drawn();
    expect(await visit.field("layout")).toBe("progress");
    for (const view of ["progress", "density", "gantt", "distribution"])
      expect(await visit.pane(view).count(), view).toBe(1);
    expect(await visit.page.locator("header .facts").innerText()).toMatch(/30 nodes · 150 workers · [\d,]+ tasks/);
    await expect.poll(() => visit.get("status").innerText()).toContain("30 nodes × 21 instants");
    await expect.poll(() => visit.get("the-run").innerText()).toMatch(/Makespan.*Area bound.*CPU busy.*CUDA busy/s);
    expect(await visit.get("task-type").count()).toBeGreaterThan(2);
    // Its own panels say what colours and selections mean.
    expect(await visit.get("legend").count()).toBe(0);
  });

  it("has fewer groups with a larger bandwidth, while the slider is still held", async () => {
    const visit = await visitProgress();
    const step = await stepOfThree(visit);
    await bars(visit).nth(step).click();
    await expect.poll(() => allNodes(visit)).toEqual(["0", FOLLOWERS, REST]);
    const box = await visit.box(slider(visit));
    const middle = box.y + box.height / 2;
    const value = Number(await slider(visit).inputValue()) / 1000;
    await visit.page.mouse.move(box.x + 8 + (box.width - 16) * value, middle);
    await visit.page.mouse.down();
    await visit.page.mouse.move(box.x + box.width - 2, middle, { steps: 5 });
    await expect.poll(() => groups(visit).count()).toBe(1);
    expect(await visit.get("gives").locator('[aria-pressed="true"]').getAttribute("aria-label")).toBe("1 group");
    await visit.page.mouse.move(box.x + 2, middle, { steps: 5 });
    await expect.poll(() => groups(visit).count()).toBeGreaterThan(3);
    await visit.page.mouse.up();
    // A stretch below the slider leads to a bandwidth that gives so many.
    await visit.get("gives").getByRole("button", { name: "3 groups", exact: true }).first().click();
    await expect.poll(() => groups(visit).count()).toBe(3);
    // Keys do the same, and every step is an undo away.
    const before = await visit.field("bandwidth");
    await visit.page.keyboard.press("]");
    await expect.poll(() => visit.field("bandwidth").then(Number)).toBeGreaterThan(Number(before));
    await visit.page.keyboard.press("[");
    await visit.page.keyboard.press("[");
    await expect.poll(() => visit.field("bandwidth").then(Number)).toBeLessThan(Number(before));
  });

  it("divides the run into as many steps as one asks for, and shows any of them", async () => {
    const visit = await visitProgress();
    expect(await bars(visit).count()).toBe(21);
    await visit.page.getByRole("button", { name: "More steps" }).click();
    await expect.poll(() => bars(visit).count()).toBe(26);
    expect(await visit.field("time-steps")).toBe("25");
    const field = visit.page.getByRole("textbox", { name: "Steps", exact: true });
    await field.fill("10");
    await field.press("Enter");
    await expect.poll(() => bars(visit).count()).toBe(11);
    await bars(visit).nth(4).click();
    await expect.poll(() => visit.get("shown-step").innerText()).toBe("4");
    await expect.poll(() => visit.subtitle("density").innerText()).toMatch(/^step 4/);
    const { times } = await told(visit);
    expect(times).toHaveLength(11);
    await visit.pane("progress").focus();
    await visit.page.keyboard.press(".");
    await expect.poll(() => visit.field("shown-step")).toBe("5");
    await visit.page.keyboard.press(",");
    await visit.page.keyboard.press(",");
    await expect.poll(() => visit.get("shown-step").innerText()).toBe("3");
    // Twice as many steps show the same moment.
    await field.fill("20");
    await field.press("Enter");
    await expect.poll(() => visit.get("shown-step").innerText()).toBe("6");
  });

  it("selects the nodes of a group that one clicks, in every pane", async () => {
    const visit = await visitProgress();
    const step = await stepOfThree(visit);
    await bars(visit).nth(step).click();
    await visit.drawn();
    const views = ["progress", "density", "gantt", "distribution"];
    const pictures = () =>
      Promise.all(views.map(async (view) => (await visit.picture(visit.pane(view))).toString("hex")));
    const before = await pictures();
    // The point of the followers.
    const { times, instants } = await told(visit);
    const mean = instants[step]?.groups[1]?.mean ?? 0;
    const { plot, x } = await visit.scene("progress");
    const across = plot[0] + (plot[2] * ((times[step] ?? 0) - Number(x.from))) / (Number(x.to) - Number(x.from));
    const box = await visit.box(visit.pane("progress"));
    const ticks = (await visit.scene("progress")).y.ticks;
    const at = (text: string) => ticks.find(([, label]) => label === text)?.[0] ?? 0;
    const down = at("0 %") + (at("100 %") - at("0 %")) * mean;
    await visit.page.mouse.click(box.x + across, box.y + down);
    await expect.poll(() => visit.field("select")).toBe("ranks:1-6,12,18,24");
    await expect.poll(() => visit.get("selected-nodes").innerText()).toContain(FOLLOWERS);
    expect(await visit.get("selected-nodes").innerText()).toMatch(/selected group/i);
    expect(await nodesOf(groups(visit).and(visit.page.locator('[aria-pressed="true"]')))).toBe(FOLLOWERS);
    const after = await pictures();
    expect(views.filter((_, i) => after[i] === before[i])).toEqual([]);
    // Its tasks one by one, and back.
    await visit.page.getByRole("button", { name: "Show detail" }).click();
    await expect.poll(() => visit.field("ranks")).toBe("1-6,12,18,24");
    const rows = async () => (await visit.scene("gantt")).labels.map(({ text }) => text);
    expect(await visit.subtitle("gantt").innerText()).toContain("nodes 1-6, 12, 18, 24");
    expect((await rows()).filter((text) => /^(?:0|7-11|13-17|19-23|25-29)$/.test(text))).toEqual([]);
    await visit.page.getByRole("button", { name: "All nodes" }).click();
    await expect.poll(() => visit.field("ranks")).toBe(null);
    expect(await rows()).toContain("7-11");
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.field("select")).toBe(null);
    await expect.poll(() => visit.get("selected-nodes").count()).toBe(0);
  });

  it("selects by a row of the Gantt chart and by a group of the panel, and shows a step that is clicked", async () => {
    const visit = await visitProgress();
    const step = await stepOfThree(visit);
    await bars(visit).nth(step).click();
    await groups(visit).first().click();
    await expect.poll(() => visit.field("select")).toBe("ranks:0");
    await expect.poll(() => visit.get("selected-nodes").innerText()).toMatch(/selected node/i);
    await groups(visit).first().click();
    await expect.poll(() => visit.field("select")).toBe(null);
    const row = await visit.plotPoint("gantt", 0.3, 0.97);
    await visit.page.mouse.click(row.x, row.y);
    await expect.poll(() => visit.field("select")).toMatch(/^ranks:\d+$/);
    // The upper left is empty: a click there shows the step.
    const empty = await visit.plotPoint("progress", 0.96, 0.3);
    await visit.page.mouse.click(empty.x, empty.y);
    await expect.poll(() => visit.field("shown-step").then(Number)).toBeGreaterThan(15);
  });

  it("names the nodes of minority paths, which can be read, and says in words who falls behind", async () => {
    const visit = await visitProgress("labels=1", { texts: true });
    const labels = async () => (await visit.scene("progress")).labels.map(({ text }) => text);
    const all = await labels();
    // Node 0 with those that wait for it, or these alone.
    const SLOW = /\b[01]-6, 12, 18, 24\b/;
    expect(all.join("; ")).toMatch(SLOW);
    expect(all).toContain("0");
    expect(all.join(" ")).toMatch(/area bound/);
    expect(await unreadable(visit)).toEqual([]);
    await visit.page.getByLabel("Labels", { exact: true }).uncheck();
    await expect.poll(async () => (await labels()).join(" ")).not.toMatch(SLOW);
    // In words, which lead to the nodes and the moment.
    const words = visit.get("progress-words").first();
    expect(await words.innerText()).toMatch(/^Nodes? 0\b.* falls? behind from/s);
    await words.getByRole("button").click();
    await expect.poll(() => visit.field("select")).toMatch(/^ranks:0/);
    await expect.poll(() => visit.field("shown-step")).toMatch(/^\d+$/);
  });

  it("reopens from a link as it was, and in the dark", async () => {
    const visit = await visitProgress("bandwidth=0.05&time-steps=12&shown-step=4&weights=none&select=ranks:0");
    await visit.drawn();
    const seen = async (one: Visit) => [
      await one.get("groups").innerText(),
      await one.get("selected-nodes").innerText(),
    ];
    const first = await seen(visit);
    const again = await visit.another(visit.page.url());
    await again.drawn();
    await again.get("selected-nodes").waitFor();
    expect(await seen(again)).toEqual(first);
    for (const view of ["progress", "gantt"])
      expect(await again.picture(again.pane(view)), view).toEqual(await visit.picture(visit.pane(view)));
    await again.page.keyboard.press("t");
    await again.drawn();
    expect(await barriers(again)).toEqual([]);
  });

  it("keeps nobody out, and lists its keys", async () => {
    const visit = await visitProgress();
    expect(await barriers(visit)).toEqual([]);
    await visit.page.keyboard.press("?");
    const help = await visit.get("help").innerText();
    for (const words of ["Larger bandwidth", "Smaller bandwidth", "Next time step", "Previous time step"])
      expect(help).toContain(words);
  });

  it("shows the densities of the first steps, small", async () => {
    const visit = await visitProgress();
    const one = (await visit.scene("density")).labels.length;
    await visit.page.getByLabel("Densities of the first 10").check();
    await expect.poll(() => visit.field("densities")).toBe("10");
    await expect.poll(async () => (await visit.scene("density")).labels.length).not.toBe(one);
    await visit.page.getByLabel("Densities of the first 10").uncheck();
    await expect.poll(() => visit.field("densities")).toBe(null);
  });
});

it("counts steps of programs without tasks, or calls of a function", async () => {
  const visit = await open("slow");
  await visit.page.getByRole("navigation", { name: "Layouts" }).getByRole("button", { name: "Progress" }).click();
  await visit.drawn();
  await expect.poll(() => groups(visit).count()).toBeGreaterThan(0);
  expect(await visit.get("progress-metric").innerText()).toMatch(/share of its own .*steps/i);
  await visit.get("progress-metric").locator("summary").click();
  const work = visit.page.getByLabel("Work", { exact: true });
  expect(await work.inputValue()).toBe("steps");
  await work.selectOption("MPI_Waitall");
  await expect.poll(() => visit.field("work")).toBe("MPI_Waitall");
  await visit.drawn();
  await expect.poll(() => visit.get("groups").count()).toBe(1);
});
