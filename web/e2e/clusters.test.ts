/** Clusters of ranks on the page: rows that open and close, focus ranks, and a cluster seen in the other panes. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AnalysisState, ClustersAbout } from "../src/api/types";
import { Heddle } from "./harness/heddle";
import { open, type Visit } from "./harness/visit";

const heddle = new Heddle();
const LAYOUT = "1c(250logical,200timeline,550clusters)";
let server: { url: string };

beforeAll(async () => {
  const options = ["--ranks", "64", "--iterations", "12", "--slow-rank", "21"];
  server = await heddle.serve(["open", await heddle.simulate("alike", options)]);
});
afterAll(() => heddle.end());

async function visitClusters(more = "", options: { width?: number; texts?: boolean } = {}): Promise<Visit> {
  const visit = await open({ url: `${server.url}&v=1&trace=alike&layout=${LAYOUT}${more}` }, { at: "", ...options });
  await visit.drawn();
  return visit;
}

async function about(visit: Visit): Promise<ClustersAbout> {
  const answer = await visit.api<AnalysisState<"clusters">>("traces/alike/analysis/clusters");
  if (answer.state !== "ready") throw new Error(`clusters are ${answer.state}`);
  return answer.about;
}

/** Names of the rows of clusters, from above. */
async function rows(visit: Visit): Promise<string[]> {
  const { labels } = await visit.scene("clusters");
  return labels.map(({ text }) => text).filter((text) => / ranks$|^rank /.test(text));
}

/** Where a row's name stands. */
async function nameAt(visit: Visit, name: string): Promise<{ x: number; y: number }> {
  const { labels } = await visit.scene("clusters");
  const at = labels.find(({ text }) => text === name)?.at ?? [0, 0];
  const box = await visit.box(visit.pane("clusters"));
  return { x: box.x + at[0] - 12, y: box.y + at[1] - 4 };
}

it("opens and closes clusters by click and by key, and Back undoes it", async () => {
  const visit = await visitClusters("&open=none");
  expect(await rows(visit)).toEqual(["64 ranks"]);
  const { leaves, joints } = await about(visit);
  const root = leaves + joints.length - 1;
  // The knob stands left of the name.
  const name = await nameAt(visit, "64 ranks");
  const { plot } = await visit.scene("clusters");
  const box = await visit.box(visit.pane("clusters"));
  const knob = await visit.search(
    "clusters",
    { from: 4, to: plot[0] },
    name.y - box.y,
    ({ toggles }) => toggles === root,
  );
  await visit.page.mouse.click(box.x + knob, name.y);
  await expect.poll(() => visit.field("open")).toBe(String(root));
  expect((await rows(visit)).length).toBe(2);
  await visit.page.goBack();
  await visit.drawn();
  expect(await rows(visit)).toEqual(["64 ranks"]);
  // By key: select the row, then open it.
  await visit.page.mouse.click(name.x, name.y);
  await expect.poll(() => visit.field("select")).toBe(`cluster:${root}`);
  await visit.page.keyboard.press("o");
  await expect.poll(() => visit.field("open")).toBe(String(root));
  expect((await rows(visit)).length).toBe(2);
  await visit.page.keyboard.press("o");
  await expect.poll(async () => (await rows(visit)).length).toBe(1);
});

it("shows who is in focus, as far around as the radius says, or the medoid", async () => {
  const visit = await visitClusters();
  const focus = async () => {
    const { labels } = await visit.scene("clusters");
    return labels.map(({ text }) => text).filter((text) => /^\d+$/.test(text)).length;
  };
  expect(await focus()).toBe(5);
  await visit.page.getByLabel("Radius").fill("2");
  await expect.poll(focus).toBe(13);
  await visit.page.getByLabel("Focus", { exact: true }).selectOption("medoid");
  await expect.poll(() => visit.field("focus")).toBe("medoid");
  const { labels } = await visit.scene("clusters");
  expect(labels.map(({ text }) => text)).toContain("medoid");
});

it("says who is in a selected cluster, and shows them in the logical and the physical timeline", async () => {
  const visit = await visitClusters();
  const views = ["logical", "timeline"];
  const pictures = () =>
    Promise.all(views.map(async (view) => (await visit.picture(visit.pane(view))).toString("hex")));
  const before = await pictures();
  const [first = ""] = await rows(visit);
  const at = await nameAt(visit, first);
  await visit.page.mouse.click(at.x, at.y);
  await expect.poll(() => visit.field("select")).toMatch(/^cluster:\d+$/);
  await expect.poll(() => visit.fact("Members").count()).toBe(1);
  const after = await pictures();
  expect(views.filter((_, at) => after[at] === before[at])).toEqual([]);
  // Other clusters have other numbers: the selection goes with them.
  await visit.get("cluster-options-more").click();
  await visit.page.getByLabel("Seed").fill("7");
  await visit.page.getByLabel("Seed").press("Enter");
  await expect.poll(() => visit.field("select")).toBe(null);
});

it("is not there where clustering was turned off", async () => {
  const many = await heddle.simulate("many", ["--ranks", "2304", "--iterations", "2"]);
  const visit = await open(await heddle.serve(["open", many, "--no-clusters"]), { at: "" });
  await visit.drawn();
  await visit.page.getByRole("button", { name: "Logical time", exact: true }).click();
  await visit.drawn();
  expect(await visit.pane("clusters").count()).toBe(0);
  expect(await visit.pane("timeline").count()).toBe(1);
});

it("clusters the phase that is chosen, the run, or the steps in sight", async () => {
  const visit = await visitClusters();
  await expect.poll(() => visit.get("cluster-scope").textContent()).toMatch(/^phase \d+/);
  await visit.page.getByRole("button", { name: "whole run" }).click();
  await expect.poll(() => visit.get("cluster-scope").textContent()).toMatch(/^the whole run/);
  await visit.get("phase").nth(3).click();
  const phase = await visit.get("phase").nth(3).getAttribute("data-phase");
  await expect.poll(() => visit.field("scope")).toBe(`phase:${phase}`);
  await visit.page.getByRole("button", { name: "steps in sight" }).click();
  await expect.poll(() => visit.field("scope")).toMatch(/^steps:\d+:\d+$/);
  await visit.drawn();
});
