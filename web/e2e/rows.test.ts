/** Rows of timelines on the page: in other orders, and folded, with picks, search and selections on the right row. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { Heddle } from "./harness/heddle";
import { open, type Visit } from "./harness/visit";

const heddle = new Heddle();
const SLOW = "21";
let server: { url: string };

beforeAll(async () => {
  const options = ["--ranks", "64", "--iterations", "12", "--slow-rank", SLOW];
  server = await heddle.serve(["open", await heddle.simulate("alike", options)]);
});
afterAll(() => heddle.end());

async function visitRows(layout: string, more = ""): Promise<Visit> {
  const visit = await open({ url: `${server.url}&v=1&trace=alike&layout=${layout}${more}` }, { at: "" });
  await visit.drawn();
  return visit;
}

/** Labels of a pane's rows, from above. */
async function labels(visit: Visit, view: string): Promise<string[]> {
  const { y } = await visit.scene(view);
  return y.ticks.map(([, label]) => label);
}

/** How many rows a pane has. */
async function count(visit: Visit, view: string): Promise<number> {
  const { y } = await visit.scene(view);
  return y.count ?? 0;
}

it("folds timelines by cluster: as many rows as the clusters pane has, each with its name", async () => {
  const visit = await visitRows("1c(300timeline,300logical,400clusters)");
  expect(await count(visit, "timeline")).toBe(64);
  await visit.page.getByLabel("Fold rows").selectOption("cluster");
  await expect.poll(() => visit.field("fold")).toBe("cluster");
  const { labels: names } = await visit.scene("clusters");
  const clusters = names.map(({ text }) => text).filter((text) => / ranks$|^rank /.test(text));
  expect(clusters.length).toBeGreaterThan(1);
  for (const view of ["timeline", "logical"]) {
    await expect.poll(() => count(visit, view)).toBe(clusters.length);
    // The same rows from above, each with the rank that stands for it.
    expect((await labels(visit, view)).map((label) => label.replace(/ · .*/, ""))).toEqual(clusters);
  }
  // A cluster that is closed takes its rows along.
  await visit.page.goto(`${visit.origin}/#v=1&trace=alike&layout=1c(300timeline,400clusters)&fold=cluster&open=none`);
  await visit.page.reload();
  await visit.drawn();
  await expect.poll(() => count(visit, "timeline")).toBe(1);
  await visit.page.goBack();
  await visit.drawn();
});

it("orders rows by cluster: the slow rank has the row that search and a click on it lead to", async () => {
  const visit = await visitRows("1timeline", "&order=cluster");
  await expect.poll(async () => (await visit.scene("timeline")).notes.join(" ")).toContain("ordered by cluster");
  const found = await visit.api<{ hits: { kind: string; rows?: [number, number] }[] }>(
    `traces/alike/search?q=rank%20${SLOW}&order=cluster`,
  );
  const [row = 0] = found.hits.find(({ kind }) => kind === "rank")?.rows ?? [];
  expect(row).not.toBe(Number(SLOW));
  // What is drawn in that row is the slow rank's.
  const rank = await visit.pointAt("timeline", 2e6, row);
  await visit.page.mouse.click(rank.x, rank.y);
  await expect.poll(() => visit.field("select")).toMatch(new RegExp(`^span:${SLOW}:`));
  // With a few rows in sight, going to the rank brings its row into sight.
  await visit.page.goto(`${visit.origin}/#v=1&trace=alike&layout=1timeline&order=cluster&rows=0:4`);
  await visit.page.reload();
  await visit.drawn();
  await visit.get("search").fill(`rank ${SLOW}`);
  await visit.get("search-hit").first().click();
  await expect
    .poll(async () => {
      const [from, to] = (await visit.window("rows")) ?? [0, 0];
      return from <= row && row < to;
    })
    .toBe(true);
});

it("forgets the rows in sight with another order, and puts the latest first", async () => {
  const visit = await visitRows("1logical", "&rows=8:16");
  expect(await visit.window("rows")).toEqual([8, 16]);
  await visit.page.getByLabel("Order of rows").selectOption("lateness");
  await expect.poll(() => visit.window("rows")).toBeNull();
  await expect.poll(async () => (await labels(visit, "logical"))[0]).toBe(SLOW);
  await visit.page.goBack();
  await expect.poll(() => visit.window("rows")).toEqual([8, 16]);
});
