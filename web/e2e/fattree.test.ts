/** A fat-tree on the page: several representations at once, each pane with its own, and one selection for all. */
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NetworkTold } from "../src/api/types";
import { type Camera, lensOf, see } from "../src/draw/space-lens";
import { decodeSpace, type Group, NUMBERS, type SpaceScene } from "../src/scene/space";
import { barriers } from "./harness/axe";
import { Heddle } from "./harness/heddle";
import { open, type Point, type Visit } from "./harness/visit";

const heddle = new Heddle();
let server: { url: string };

beforeAll(async () => {
  const options = ["--ranks", "64", "--iterations", "3", "--dimensions", "3", "--ranks-per-node", "1"];
  server = await heddle.serve(["open", await heddle.simulate("tree", options, "heddle", "halo")]);
});
afterAll(() => heddle.end());

const TREE = "topology=fat-tree:4^3";

async function visitTree(layout = "network", more = "", theme: "light" | "dark" = "light"): Promise<Visit> {
  const url = `${server.url}&v=1&trace=tree&layout=${layout}&${TREE}${more}`;
  const visit = await open({ url }, { at: "", theme });
  await visit.drawn();
  await visit.get("load-ends").waitFor();
  return visit;
}

/** The pane of an id. */
const pane = (visit: Visit, id: string) => visit.page.locator(`[data-pane="${id}"]`);

/** The last scene of the only pane of a fat-tree. */
async function sceneOf(visit: Visit): Promise<SpaceScene> {
  await visit.drawn();
  const url = await visit.page.evaluate(
    () => performance.getEntriesByType("resource").findLast(({ name }) => name.includes("/scene/fattree"))?.name ?? "",
  );
  const bytes = await (await visit.page.context().request.get(url)).body();
  return decodeSpace(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer);
}

/** Where the solid of something lies on the page. */
async function pointOf(visit: Visit, of: Group["of"], isIt: (id: number) => boolean, camera?: Camera): Promise<Point> {
  const { space } = await sceneOf(visit);
  const [around, above] = space.turn;
  for (const group of space.groups.filter((one) => one.of === of)) {
    const at = group.id.findIndex(isIt);
    if (at < 0) continue;
    const [x = 0, y = 0, z = 0] = group.place.subarray(at * NUMBERS[group.kind]);
    const box = await visit.box(visit.pane("fattree"));
    const usual = { around, above, zoom: 1, aim: [0, 0, 0] } as const;
    const seen = see(lensOf(space.bounds, camera ?? usual, Math.floor(box.width), Math.floor(box.height)), [x, y, z]);
    if (seen !== null) return { x: box.x + seen.x, y: box.y + seen.y };
  }
  throw new Error(`there is no such ${of}`);
}

/** The number of a switch among the elements of the machine: nodes come first, then layers of 16. */
const switchAt = (layer: number, number: number) => 64 + (layer - 1) * 16 + number;

describe("the network of a fat-tree", () => {
  it("shows its switches, blocks and layers, and nothing of a torus", async () => {
    const visit = await visitTree();
    expect(await visit.field("layout")).toBe("network");
    expect(await visit.pane("fattree").count()).toBe(3);
    const titles = await visit.page
      .locator(".pane select.title")
      .evaluateAll((all) => all.map((one) => (one as HTMLSelectElement).selectedOptions[0]?.textContent));
    expect(titles).toEqual(["All switches", "Utilisation by layer", "Layered blocks", "Layers of switches"]);
    expect(await visit.get("topology").innerText()).toMatch(/64.*3 layers × 16.*192 cables/s);
    for (const panel of ["planes", "axes-widget"]) expect(await visit.get(panel).count()).toBe(0);
    expect(await visit.page.locator(".shell").innerText()).not.toMatch(/torus/i);
    // Nor is it offered; but a link to it says why there is none.
    const offered = await visit.page.locator(".pane select.title").first().locator("option").allInnerTexts();
    expect(offered.filter((one) => /torus|mini-map|mapping|dragonfly/i.test(one))).toEqual([]);
    const other = await open({ url: `${server.url}&v=1&trace=tree&layout=1torus3d&${TREE}` }, { at: "" });
    await expect
      .poll(() => other.get("empty-notice").innerText())
      .toContain("This machine is a fat-tree, not a torus.");
  });

  it("says how much each layer is used, and a click selects its switches", async () => {
    const visit = await visitTree();
    const { layers } = await visit.api<NetworkTold>(`traces/tree/network?${TREE}`);
    await expect.poll(() => visit.get("layer").count()).toBe(3);
    const [, two] = layers;
    const row = visit.get("layer").filter({ hasText: "Layer 2" });
    expect(await row.innerText()).toContain(two?.mean_text ?? "?");
    await row.click();
    await expect.poll(() => visit.field("select")).toBe(two?.select);
    await visit.get("nodes-facts").waitFor();
  });

  it("takes other routes, in all pictures", async () => {
    const visit = await visitTree();
    const routes = visit.get("routing");
    await routes.getByRole("button", { name: "Spread" }).click();
    await expect.poll(() => visit.field("routing")).toBe("spread");
    await visit.drawn();
    expect(await routes.getByRole("button", { name: "Spread" }).getAttribute("aria-pressed")).toBe("true");
    // The panes stay as they are while routes are found anew.
    expect(await visit.pane("fattree").count()).toBe(3);
  });

  it("compares neighbours on a grid with all to all, layer by layer", async () => {
    const visit = await visitTree();
    const bars = visit.get("utilised");
    await expect.poll(() => bars.locator("td").count()).toBe(6);
    const top = bars.locator("tr").last().locator("td .value");
    const [nearest, uniform] = (await top.allInnerTexts()).map(Number);
    expect(nearest ?? 100).toBeLessThan(uniform ?? 0);
    await bars.getByRole("button", { name: "uniform" }).click();
    await expect.poll(() => visit.field("pattern")).toBe("uniform");
    expect(await visit.get("traffic").getByRole("button", { name: "Uniform" }).getAttribute("aria-pressed")).toBe(
      "true",
    );
  });
});

describe("a pane of a fat-tree", () => {
  it("changes its representation, and what is selected stays selected", async () => {
    const visit = await visitTree("1fattree(as=ht)");
    const at = await pointOf(visit, "node", (id) => id === switchAt(2, 5));
    await visit.page.mouse.click(at.x, at.y);
    await expect.poll(() => visit.field("select")).toBe("nodes:2,5");
    await expect.poll(() => visit.get("nodes-facts").innerText()).toMatch(/switch 2\.5/i);
    for (const name of ["QS", "DL", "DC", "DR", "LB", "F1"]) {
      const before = await visit.picture(visit.pane("fattree"));
      await visit.page
        .getByRole("group", { name: "Representation" })
        .getByRole("button", { name, exact: true })
        .click();
      await expect.poll(() => visit.field("layout")).toBe(`1fattree(as=${name.toLowerCase()})`);
      expect((await visit.picture(visit.pane("fattree"))).equals(before)).toBe(false);
      expect(await visit.field("select")).toBe("nodes:2,5");
    }
    await visit.page.goBack();
    await expect.poll(() => visit.field("layout")).toBe("1fattree(as=lb)");
  });

  it("keeps what it shows to itself, also in the link", async () => {
    const visit = await visitTree();
    const [big, blocks] = [pane(visit, "fattree"), pane(visit, "fattree-2")];
    await big.getByRole("button", { name: "F1" }).click();
    await blocks.getByLabel("Part of the machine").selectOption("2");
    await blocks.getByRole("button", { name: "Next pod" }).click();
    await visit.drawn();
    const layout = await visit.field("layout");
    expect(layout).toContain("fattree(as=f1)");
    expect(layout).toContain("fattree(as=lb~within=2,1)");
    expect(await blocks.getByLabel("Part of the machine").locator("option:checked").innerText()).toBe("nodes 16–31");
    // It is the same layout for all that.
    expect(await visit.page.locator("nav.tabs .on").innerText()).toBe("Network");
    const inside = (one: Locator) => visit.picture(one.getByTestId("pane-fattree"));
    const [one, two] = [await inside(big), await inside(blocks)];
    await visit.page.reload();
    await visit.drawn();
    // The rim of the pane that was last used shows beside the pictures.
    await blocks.getByLabel("Part of the machine").focus();
    expect(await visit.field("layout")).toBe(layout);
    expect((await inside(big)).equals(one)).toBe(true);
    expect((await inside(blocks)).equals(two)).toBe(true);
  });

  it("gets another representation beside it, and loses it again", async () => {
    const visit = await visitTree("1fattree(as=ht)");
    await visit.page.getByLabel("Add a representation beside").selectOption("dc");
    await expect.poll(() => visit.field("layout")).toBe("1r(500fattree(as=ht),500fattree(as=dc))");
    await visit.drawn();
    expect(await visit.pane("fattree").count()).toBe(2);
    await pane(visit, "fattree").getByTestId("close-pane").click();
    await expect.poll(() => visit.field("layout")).toBe("1fattree(as=dc)");
  });

  it("is moved and zoomed as a plan, tilted, turned, and laid flat again", async () => {
    const visit = await visitTree("1fattree(as=ht)");
    const flat = await visit.picture(visit.pane("fattree"));
    const own = async (name: string) => new RegExp(`${name}=([^~)]+)`).exec((await visit.field("layout")) ?? "")?.[1];
    const box = await visit.box(visit.pane("fattree"));
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await visit.drag(middle, { x: middle.x + 90, y: middle.y + 40 });
    await expect.poll(() => own("aim")).toMatch(/^-\d/);
    expect(await own("turn")).toBeUndefined();
    await visit.wheel(middle, -300);
    await expect.poll(() => own("zoom")).toBeDefined();
    expect((await visit.picture(visit.pane("fattree"))).equals(flat)).toBe(false);
    await visit.page.mouse.dblclick(box.x + 6, box.y + 6);
    await expect.poll(() => visit.field("layout")).toBe("1fattree(as=ht)");
    expect((await visit.picture(visit.pane("fattree"))).equals(flat)).toBe(true);
    const tilt = visit.page.getByRole("button", { name: "3D" });
    await tilt.click();
    await expect.poll(() => own("turn")).toBe("35:40");
    await visit.drag(middle, { x: middle.x + 90, y: middle.y });
    await expect.poll(() => own("turn")).not.toBe("35:40");
    expect(await own("aim")).toBeUndefined();
    await tilt.click();
    await expect.poll(() => visit.field("layout")).toBe("1fattree(as=ht)");
    expect((await visit.picture(visit.pane("fattree"))).equals(flat)).toBe(true);
  });

  it("selects all switches in a rectangle of a plan", async () => {
    const visit = await visitTree("1fattree(as=ht)");
    const box = await visit.box(visit.pane("fattree"));
    await visit.page.keyboard.down("Shift");
    await visit.drag({ x: box.x + 2, y: box.y + 2 }, { x: box.x + box.width / 2, y: box.y + box.height / 2 });
    await visit.page.keyboard.up("Shift");
    await expect.poll(() => visit.field("select")).toMatch(/^nodes:/);
  });

  it("splits a block into its switches, and joins them again", async () => {
    const visit = await visitTree("1fattree(as=lb)", "&select=nodes:2,4-7");
    const whole = await visit.picture(visit.pane("fattree"));
    await visit.page.getByRole("button", { name: "Split", exact: true }).click();
    await expect.poll(() => visit.field("layout")).toBe("1fattree(as=lb~split=2,1)");
    expect((await visit.picture(visit.pane("fattree"))).equals(whole)).toBe(false);
    await visit.page.getByRole("button", { name: "Join", exact: true }).click();
    await expect.poll(() => visit.field("layout")).toBe("1fattree(as=lb)");
    expect((await visit.picture(visit.pane("fattree"))).equals(whole)).toBe(true);
  });

  it("leads to a switch by its name, and from a message to its path, switch by switch", async () => {
    const visit = await visitTree("1fattree(as=qs)");
    await visit.get("search").fill("switch 3.7");
    await expect.poll(() => visit.get("search-hit").first().innerText()).toContain("switch 3.7");
    await visit.page.keyboard.press("Enter");
    await expect.poll(() => visit.field("select")).toBe("nodes:3,7");
    const { top } = await visit.api<NetworkTold>(`traces/tree/network?${TREE}`);
    const busiest = top.find((one) => one.label.includes("switch"));
    await visit.page.locator(`[data-testid="top-link"][data-link="${busiest?.select}"]`).click();
    await visit.get("link-facts").waitFor();
    await visit.fact("Message").first().getByRole("button").click();
    const span = (await visit.changed("select", busiest?.select ?? null))?.replace("span:", "");
    // The message that this call sent: where it turns, and each switch on its way, which one can go to.
    const way = await visitTree("1fattree(as=qs)", `&select=message:${span}:0`);
    await expect
      .poll(() => way.fact("Way").innerText())
      .toMatch(/6 links from node \d+ to node \d+, turning at layer 3/);
    const switches = await way.fact("Switch").allInnerTexts();
    expect(switches.map((one) => one[0])).toEqual(["1", "2", "3", "2", "1"]);
    await way.fact("Switch").nth(2).getByRole("button").click();
    await expect.poll(() => way.field("select")).toMatch(/^nodes:3,/);
  });
});

for (const theme of ["light", "dark"] as const) {
  it(`has no barrier that axe finds, ${theme}`, async () => {
    const visit = await visitTree("network", "&select=nodes:2,5", theme);
    await visit.get("nodes-facts").waitFor();
    expect(await barriers(visit)).toEqual([]);
  });
}
