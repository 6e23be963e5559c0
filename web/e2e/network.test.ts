/** The network: a projected torus with its mini-maps, legend, planes, links and the player, linked with the other views. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { NetworkTold } from "../src/api/types";
import { edgesOf } from "../src/scene/plane";
import { barriers } from "./harness/axe";
import { Heddle } from "./harness/heddle";
import { open, type Point, type Visit } from "./harness/visit";

const heddle = new Heddle();
let server: { url: string };

beforeAll(async () => {
  const options = ["--ranks", "256", "--part", "fft", "--steps", "2", "--topology", "4x4x4", "--ranks-per-node", "4"];
  server = await heddle.serve(["open", await heddle.simulate("net", options, "heddle", "pf3d")]);
});
afterAll(() => heddle.end());

async function visitNetwork(more = "", layout = "network"): Promise<Visit> {
  const visit = await open({ url: `${server.url}&v=1&trace=net&layout=${layout}${more}` }, { at: "" });
  await visit.drawn();
  await visit.get("load-ends").waitFor();
  return visit;
}

/** The lines of links in the last picture of a view. */
async function lines(visit: Visit, view: string): Promise<number> {
  const { layers } = await visit.scene(view);
  return layers.filter(({ kind }) => kind === "segments").reduce((sum, { count }) => sum + (count ?? 0), 0);
}

/** A place of a pane where the server says that something wanted lies, along a line in it. */
async function find(visit: Visit, view: string, y: number, wanted: RegExp): Promise<Point> {
  const box = await visit.box(visit.pane(view));
  const x = await visit.search(view, { from: 4, to: box.width - 4 }, y, ({ title }) => wanted.test(title));
  return { x: box.x + x, y: box.y + y };
}

it("is a layout of every trace that communicates, and shows what the links carry", async () => {
  const visit = await open({ url: `${server.url}&v=1&trace=net&layout=overview` }, { at: "" });
  await visit.drawn();
  await visit.page.getByRole("button", { name: "Network" }).click();
  await visit.drawn();
  expect(await visit.field("layout")).toBe("network");
  for (const view of ["torus", "torus3d", "minimaps", "mappings"]) expect(await visit.pane(view).count()).toBe(1);
  await expect.poll(() => visit.get("links-say").innerText()).toContain("predicted");
  const { top } = await visit.api<NetworkTold>("traces/net/network");
  expect(top.length).toBeGreaterThan(0);
  expect(await visit.get("top-link").count()).toBe(top.length);
  await expect.poll(() => visit.get("top-link").first().innerText()).toContain(top[0]?.text ?? "?");
});

it("looks along another dimension by a click on its mini-map, and by a key", async () => {
  const visit = await visitNetwork();
  expect(await visit.subtitle("torus").innerText()).toContain("along z");
  const box = await visit.box(visit.pane("minimaps"));
  // Maps stand below each other in a narrow pane; the first is that along x.
  const at = await find(visit, "minimaps", Math.round(box.height * 0.12), /along x/);
  await visit.page.mouse.click(at.x, at.y);
  await expect.poll(() => visit.field("along")).toBe("x");
  await visit.drawn();
  await expect.poll(() => visit.subtitle("torus").innerText()).toContain("along x");
  // Nothing was selected by it.
  expect(await visit.field("select")).toBeNull();
  await visit.pane("torus").focus();
  await visit.page.keyboard.press("v");
  await expect.poll(() => visit.field("along")).toBe("y");
  await visit.page.keyboard.press("v");
  await expect.poll(() => visit.subtitle("torus").innerText()).toContain("along z");
});

it("switches directions by the axes, and keeps one", async () => {
  const visit = await visitNetwork();
  const all = await lines(visit, "torus");
  const axes = visit.get("axes-widget");
  await axes.getByLabel("z").click();
  await expect.poll(() => visit.field("diagonals")).toBe("0");
  expect(await lines(visit, "torus")).toBeLessThan(all);
  // A stroke does the same as the box beside it.
  await axes.locator("g").nth(1).locator("line").last().click({ force: true });
  await expect.poll(() => visit.field("diagonals")).toBeNull();
  await axes.getByLabel("z").click();
  await axes.getByLabel("x").click();
  await expect.poll(() => visit.field("links")).toBe("vertical");
  await axes.getByLabel("y").click();
  await visit.drawn();
  expect(await visit.field("links")).toBe("vertical");
  expect(await axes.getByLabel("y").isChecked()).toBe(true);
});

it("draws fewer links when the lower handle is raised, in all pictures, and all again by a double-click", async () => {
  const visit = await visitNetwork();
  const before = { torus: await lines(visit, "torus"), minimaps: await lines(visit, "minimaps") };
  const bar = await visit.box(visit.get("load-bar"));
  const low = visit.page.getByRole("slider", { name: "Least load that is drawn" });
  const handle = await visit.box(low);
  const from = { x: handle.x + handle.width / 2, y: handle.y + handle.height / 2 };
  await visit.drag(from, { x: bar.x + bar.width * 0.6, y: from.y });
  await expect.poll(() => visit.field("loads")).not.toBeNull();
  expect(await lines(visit, "torus")).toBeLessThan(before.torus);
  expect(await lines(visit, "minimaps")).toBeLessThanOrEqual(before.minimaps);
  const [lower] = ((await visit.field("loads")) ?? "").split(":").map(Number);
  await low.focus();
  await visit.page.keyboard.press("ArrowRight");
  await expect.poll(async () => Number((await visit.field("loads"))?.split(":")[0])).toBeGreaterThan(lower ?? 0);
  // Every picture is asked for with the same ends.
  await visit.drawn();
  await visit.page.mouse.dblclick(bar.x + bar.width / 2, bar.y + 5);
  await expect.poll(() => visit.field("loads")).toBeNull();
  expect(await lines(visit, "torus")).toBe(before.torus);
});

it("selects a plane by a coordinate beside the plot, in the address, the details and in space", async () => {
  const visit = await visitNetwork();
  const space = await visit.picture(visit.pane("torus3d"));
  const { plot } = await visit.scene("torus");
  const at = await find(visit, "torus", Math.round(plot[1] + plot[3] + 8), /Plane x = 2/);
  await visit.page.mouse.click(at.x, at.y);
  await expect.poll(() => visit.field("select")).toBe("nodes:2,*,*");
  await expect.poll(() => visit.get("nodes-facts").innerText()).toContain("16 nodes");
  await expect.poll(() => visit.get("at-x").innerText()).toBe("x = 2");
  expect((await visit.picture(visit.pane("torus3d"))).equals(space)).toBe(false);
  await visit.page.getByRole("button", { name: "Plane: one more" }).click();
  await expect.poll(() => visit.field("select")).toBe("nodes:3,*,*");
});

it("selects nodes by click, by Ctrl-click and by a rectangle", async () => {
  const visit = await visitNetwork();
  const box = await visit.box(visit.pane("torus"));
  const { plot } = await visit.scene("torus");
  const middle = plot[1] + plot[3] / 2;
  await visit.page.keyboard.down("Shift");
  await visit.drag(
    { x: box.x + plot[0] + 2, y: box.y + plot[1] + 2 },
    { x: box.x + plot[0] + plot[2] - 2, y: box.y + middle },
  );
  await visit.page.keyboard.up("Shift");
  await expect.poll(() => visit.field("select")).toBe("nodes:*,0-1,*");
  await visit.page.keyboard.press("Escape");
  await expect.poll(() => visit.field("select")).toBeNull();
  // Nodes lie two units from the rim, and those of the next column six units from each other.
  const one = await planePoint(visit, [2000, 2000]);
  await visit.page.mouse.click(one.x, one.y);
  await expect.poll(() => visit.field("select")).toBe("nodes:0,0,0");
  const other = await planePoint(visit, [8000, 2000]);
  await visit.page.keyboard.down("Control");
  await visit.page.mouse.click(other.x, other.y);
  await visit.page.keyboard.up("Control");
  await expect.poll(() => visit.field("select")).toBe("nodes:0-1,0,0");
});

/** Where a place of the plane lies, in pixels of the window. */
async function planePoint(visit: Visit, [across, down]: readonly [number, number]): Promise<Point> {
  const { plot, x, y } = await visit.scene("torus");
  const [left, top, width, height] = plot;
  const edges = edgesOf({ width, height }, [Number(x.from), Number(x.to)], [Number(y.from), Number(y.to)]);
  const share = (at: number, [from, to]: [number, number]) => (at - from) / (to - from);
  const box = await visit.box(visit.pane("torus"));
  return {
    x: box.x + left + width * share(across, edges.across),
    y: box.y + top + height * share(down, edges.down),
  };
}

it("zooms both directions at once, and fits again", async () => {
  const visit = await visitNetwork();
  await visit.wheel(await visit.plotPoint("torus", 0.5, 0.5), -400);
  await expect.poll(() => visit.window("down")).not.toBeNull();
  await visit.drawn();
  const [across, down] = [await visit.window("across"), await visit.window("down")];
  expect(across ?? down).not.toBeNull();
  const at = await visit.plotPoint("torus", 0.05, 0.05);
  await visit.page.mouse.dblclick(at.x, at.y);
  await expect.poll(async () => [await visit.field("across"), await visit.field("down")]).toEqual([null, null]);
});

it("selects the ranks of a communicator", async () => {
  const visit = await visitNetwork();
  const rows = visit.page.getByRole("region", { name: "Communicators" }).locator("button.name:enabled");
  const count = await rows.count();
  expect(count).toBeGreaterThan(1);
  await rows.last().click();
  await expect.poll(() => visit.field("select")).toMatch(/^ranks:/);
  // It is looked at among the others; nothing is filtered.
  expect(await visit.field("ranks")).toBeNull();
});

it("lists the makers of a link, and one leads to the timeline", async () => {
  const visit = await visitNetwork();
  await visit.get("top-link").first().click();
  await expect.poll(() => visit.field("select")).toMatch(/^link:/);
  const facts = visit.get("link-facts");
  await facts.waitFor();
  await expect.poll(() => facts.innerText()).toMatch(/alltoall on slab/);
  await visit.fact("Message").first().getByRole("button").click();
  await expect.poll(() => visit.field("select")).toMatch(/^span:/);
  await visit.page.getByRole("button", { name: "Timeline", exact: true }).last().click();
  await expect.poll(() => visit.field("layout")).toBe("timeline");
  await visit.drawn();
  expect(await visit.window("time")).not.toBeNull();
});

it("shows what a phase sends that was selected in logical time", async () => {
  const visit = await visitNetwork("", "1r(500logical,500torus)");
  await visit.get("phase").first().click();
  await expect.poll(() => visit.field("select")).toMatch(/^phase:/);
  const number = ((await visit.field("select")) ?? "").split(":")[1];
  await expect.poll(() => visit.get("links-say").innerText()).toContain(`phase ${number}`);
});

it("plays through windows of the run, and accumulates", async () => {
  const visit = await visitNetwork();
  const player = visit.get("player");
  await player.getByLabel("One part on").click();
  await expect.poll(() => visit.window("time")).not.toBeNull();
  const [from = -1, to = 0] = (await visit.window("time")) ?? [];
  expect(from).toBe(0);
  await player.getByLabel("Play (Space)").click();
  await expect.poll(async () => (await visit.window("time"))?.[0] ?? 0).toBeGreaterThanOrEqual(to);
  await visit.page.keyboard.press("Space");
  await expect.poll(() => player.getAttribute("data-playing")).toBe("false");
  await player.getByLabel("Accumulate").click();
  await expect.poll(async () => (await visit.window("time"))?.[0]).toBe(0);
  await player.getByLabel("To the last part").click();
  await expect.poll(() => visit.field("time")).toBeNull();
});

for (const theme of ["light", "dark"] as const) {
  it(`has no barrier that axe finds, ${theme}`, async () => {
    const url = `${server.url}&v=1&trace=net&layout=network&select=link:0,0,0>0,0,1`;
    const visit = await open({ url }, { at: "", theme });
    await visit.drawn();
    await visit.get("link-facts").waitFor();
    expect(await barriers(visit)).toEqual([]);
  });
}

/** A Boxfish run of a 4x4x4 torus with two regions, where every link has as many packets as it says. */
function measured(name: string, packets: (from: number[], to: number[], region: number) => number): string {
  const folder = join(heddle.folder, name);
  mkdirSync(folder);
  const write = (file: string, lines: string[]) => writeFileSync(join(folder, file), `${lines.join("\n")}\n`);
  const head = (columns: string[]) => ["---", "key: TEST", "---", ...columns.map((one) => `- [${one}, int64]`), "..."];
  const nodes: string[] = [];
  const links: string[] = [];
  for (let node = 0; node < 64; node += 1) {
    const from = [node % 4, Math.floor(node / 4) % 4, Math.floor(node / 16)];
    nodes.push([node, ...from].join(" "));
    for (let way = 0; way < 6; way += 1) {
      const to = from.map((at, dim) => (dim === Math.floor(way / 2) ? (at + (way % 2 === 0 ? 1 : 3)) % 4 : at));
      for (const region of [1, 2])
        links.push([node * 6 + way, ...from, ...to, region, packets(from, to, region)].join(" "));
    }
  }
  write("nodes.yaml", [...head(["nodeid", "x", "y", "z"]), ...nodes]);
  const columns = ["linkid", "sx", "sy", "sz", "tx", "ty", "tz", "code_region", "packets"];
  write("links.yaml", [...head(columns), ...links]);
  write("meta.yaml", [
    "---",
    "key: TEST",
    "hardware: {type: bgp, network: torus, nodes: 64, coords: [x, y, z], coords_table: nodes.yaml,",
    " dim: {x: 4, y: 4, z: 4}, source_coords: {x: sx, y: sy, z: sz}, destination_coords: {x: tx, y: ty, z: tz},",
    " link_coords_table: links.yaml}",
    ...[
      ["nodes.yaml", "NODE", "nodeid"],
      ["links.yaml", "LINK", "linkid"],
    ].flatMap(([file, type, field]) => [
      "---",
      "filetype: table",
      `filename: ${file}`,
      "domain: HW",
      `type: ${type}`,
      `field: ${field}`,
      "flags: 0",
    ]),
    "...",
  ]);
  return join(folder, "meta.yaml");
}

it("finds an impossible counter by legend, zoom and plane, in a run without times", async () => {
  const meta = measured("impossible", (from, to, region) =>
    `${from}>${to}` === "1,2,1>2,2,1" && region === 1 ? 271e6 : 1000 + 10 * (from[0] ?? 0),
  );
  const { url } = await heddle.serve(["open", meta]);
  const visit = await open({ url }, { at: "" });
  await visit.drawn();
  // It begins with the network, and nothing that needs times is there.
  expect(await visit.field("layout")).toBe("network");
  expect(await visit.get("strip").count()).toBe(0);
  expect(await visit.get("legend").count()).toBe(0);
  await visit.get("load-ends").waitFor();
  expect(await visit.get("load-from").innerText()).toMatch(/Predicted from trace\s*none/);
  // Raise the lower handle: one link is left.
  const low = visit.page.getByRole("slider", { name: "Least load that is drawn" });
  await low.focus();
  await visit.page.keyboard.press("Shift+ArrowRight");
  await expect.poll(() => visit.field("loads")).not.toBeNull();
  expect(await lines(visit, "torus")).toBe(1);
  // Its coordinates, under the pointer; and closer.
  const { plot } = await visit.scene("torus");
  const { top } = await visit.api<NetworkTold>("traces/meta/network");
  const far = await planePoint(visit, top[0]?.place ?? [0, 0]);
  await visit.wheel(far, -500);
  await expect.poll(() => visit.field("across")).not.toBeNull();
  expect(await lines(visit, "torus")).toBe(1);
  const at = await planePoint(visit, top[0]?.place ?? [0, 0]);
  await visit.page.mouse.click(at.x, at.y);
  await expect.poll(() => visit.field("select")).toBe("link:1,2,1>2,2,1");
  await expect.poll(() => visit.get("link-facts").innerText()).toContain("271,00");
  // A measured link does not say who made it.
  await expect.poll(() => visit.get("link-facts").innerText()).toMatch(/not known/);
  // The plane that it lies in, by its coordinate.
  const plane = await visit.search(
    "torus",
    { from: plot[0], to: plot[0] + plot[2] },
    Math.round(plot[1] + plot[3] + 8),
    ({ title }) => title === "Plane x = 1",
  );
  const box = await visit.box(visit.pane("torus"));
  await visit.page.mouse.click(box.x + plane, box.y + plot[1] + plot[3] + 8);
  await expect.poll(() => visit.field("select")).toBe("nodes:1,*,*");
  // Only one of its regions has it.
  await visit.page.getByRole("button", { name: /^Only region 2/ }).click();
  await expect.poll(() => visit.field("sections")).toBe("1");
  await expect.poll(() => lines(visit, "torus")).toBe(0);
});

it("takes the colours along to another run", async () => {
  const one = measured("one", (from) => 100 + (from[0] ?? 0));
  const other = measured("other", (from) => 300 + (from[0] ?? 0));
  const { url } = await heddle.serve(["open", one, other]);
  const visit = await open({ url }, { at: "" });
  await visit.page
    .getByRole("button", { name: /one|meta/ })
    .first()
    .click();
  await visit.drawn();
  await visit.get("load-ends").waitFor();
  expect(await visit.field("loads")).toBeNull();
  const select = visit.page.getByRole("combobox", { name: "Trace" });
  const [first = "", second = ""] = await select
    .locator("option")
    .evaluateAll((all) => all.map((o) => o.getAttribute("value") ?? ""));
  await select.selectOption((await visit.field("trace")) === first ? second : first);
  await visit.drawn();
  expect(await visit.field("loads")).not.toBeNull();
});
