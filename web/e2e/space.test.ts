/** Pictures in space: turned by the page alone, kept in the link, pointed at and selected in. */
import { describe, expect, it } from "vitest";
import { type Camera, lensOf, see } from "../src/draw/space-lens";
import type { Point3 } from "../src/scene/space";
import type { Picture } from "./harness/png";
import { open, type Point, type Visit } from "./harness/visit";

/** 64 ranks on as many nodes, each sending to all others. */
const TORUS = "layout=1torus3d&topology=4x4x4&ranks-per-node=1&mapping=block&pattern=all-to-all";
const USUAL: Camera = { around: 35, above: 22, zoom: 1, aim: [0, 0, 0] };

interface SpaceHeader {
  space: { low: Point3; high: Point3; groups: { of: string; count: number }[] };
}

/** Where a place in space is on the page. */
async function pointOf(visit: Visit, at: Point3, camera = USUAL): Promise<Point> {
  const { space } = (await visit.scene("torus3d")) as unknown as SpaceHeader;
  const box = await visit.box(visit.pane("torus3d"));
  const seen = see(lensOf(space, camera, Math.floor(box.width), Math.floor(box.height)), at);
  if (seen === null) throw new Error("it is behind the eye");
  return { x: box.x + seen.x, y: box.y + seen.y };
}

/** How far the colours of a picture are from its background, on average. */
function strength(picture: Picture): number {
  const parts = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  const background = parts(picture.at(1, 1));
  let sum = 0;
  for (const [colour, count] of picture.colours())
    sum += count * parts(colour).reduce((all, part, at) => all + Math.abs(part - (background[at] ?? 0)), 0);
  return sum / (picture.width * picture.height);
}

describe("a torus in space", () => {
  it("is turned, moved and zoomed without asking the server, and the link opens the same picture", async () => {
    const visit = await open("matrix", { at: TORUS });
    const pane = visit.pane("torus3d");
    const whole = await visit.picture(pane);
    expect(await pane.getAttribute("aria-label")).toBe("torus3d, 64 nodes, 192 links");
    expect(await pane.getAttribute("data-renderer")).toBe("three");
    const asked: string[] = [];
    visit.page.on("request", (request) => {
      if (request.url().includes("/scene/torus3d")) asked.push(request.url());
    });
    const middle = await pointOf(visit, [0, 0, 0]);
    await visit.drag(middle, { x: middle.x + 140, y: middle.y + 60 });
    const turn = await visit.changed("turn", null);
    const turned = await visit.picture(pane);
    expect(turned.equals(whole)).toBe(false);
    await visit.page.mouse.move(middle.x, middle.y);
    await visit.page.mouse.down({ button: "right" });
    await visit.page.mouse.move(middle.x - 80, middle.y + 30, { steps: 3 });
    await visit.page.mouse.up({ button: "right" });
    await visit.changed("aim", null);
    expect(await visit.field("turn")).toBe(turn);
    await visit.wheel(middle, -300);
    await visit.changed("zoom", null);
    expect(Number(await visit.field("zoom"))).toBeGreaterThan(1);
    const closer = await visit.picture(pane);
    expect(closer.equals(turned)).toBe(false);
    expect(asked).toEqual([]);
    await visit.page.reload();
    expect((await visit.picture(pane)).equals(closer)).toBe(true);

    // Everything is in view again, as it was turned.
    const box = await visit.box(pane);
    await visit.page.mouse.dblclick(box.x + box.width - 8, box.y + 8);
    await expect.poll(() => visit.field("zoom")).toBe(null);
    expect([await visit.field("aim"), await visit.field("turn")]).toEqual([null, turn]);
    await visit.page.goBack();
    await expect.poll(() => visit.field("zoom")).not.toBe(null);
  });

  it("is turned by keys", async () => {
    const visit = await open("matrix", { at: TORUS });
    await visit.drawn();
    await visit.pane("torus3d").focus();
    await visit.page.keyboard.press("ArrowRight");
    await visit.changed("turn", null);
    await visit.page.keyboard.press("+");
    await visit.changed("zoom", null);
    await visit.page.keyboard.press("Shift+ArrowUp");
    await visit.changed("aim", null);
    await visit.page.keyboard.press("0");
    await expect.poll(() => visit.field("aim")).toBe(null);
    expect(await visit.field("zoom")).toBe(null);
  });

  it("says what is under the pointer, and selects it; more with Ctrl", async () => {
    const visit = await open("matrix", { at: TORUS });
    const [corner, next] = [await pointOf(visit, [-1.5, -1.5, 1.5]), await pointOf(visit, [1.5, -1.5, 1.5])];
    await visit.page.mouse.move(corner.x, corner.y);
    const tooltip = visit.get("tooltip");
    await expect.poll(() => tooltip.innerText()).toMatch(/Node \(0, 0, 3\).*rank 48.*out/s);
    const stick = await pointOf(visit, [-1, -1.5, 1.5]);
    await visit.page.mouse.move(stick.x, stick.y);
    await expect.poll(() => tooltip.innerText()).toMatch(/\(0, 0, 3\) ↔ \(1, 0, 3\).*each way · bytes, predicted/s);
    await visit.page.mouse.click(corner.x, corner.y);
    await expect.poll(() => visit.field("select")).toBe("nodes:0,0,3");
    await visit.drawn();
    await visit.page.keyboard.down("Control");
    await visit.page.mouse.click(next.x, next.y);
    await visit.page.keyboard.up("Control");
    await expect.poll(() => visit.field("select")).toBe("nodes:0,0,3;3,0,3");
    await visit.drawn();
    await visit.page.mouse.click(stick.x, stick.y);
    await expect.poll(() => visit.field("select")).toBe("link:0,0,3>1,0,3");
    const box = await visit.box(visit.pane("torus3d"));
    await visit.page.mouse.click(box.x + box.width - 8, box.y + 8);
    await expect.poll(() => visit.field("select")).toBe(null);
  });

  it("selects what lies in a rectangle, whatever is in front, and lets the rest fade", async () => {
    const visit = await open("matrix", { at: `${TORUS}&turn=0:0` });
    const pane = visit.pane("torus3d");
    const plain = strength(await visit.pixels(pane));
    const front: Camera = { ...USUAL, around: 0, above: 0 };
    const [low, high] = [await pointOf(visit, [-2, -1.5, 0.9], front), await pointOf(visit, [2, -1.5, 1.9], front)];
    await visit.page.keyboard.down("Shift");
    await visit.drag(low, high);
    await visit.page.keyboard.up("Shift");
    await expect.poll(() => visit.field("select")).toBe("nodes:*,*,3");
    const faded = strength(await visit.pixels(pane));
    expect(faded).toBeLessThan(plain * 0.6);
    expect(await visit.field("turn")).toBe("0:0");
    // The nodes of the plane keep the colour of selections.
    const at = await pointOf(visit, [-1.5, -1.5, 1.5], front);
    const box = await visit.box(pane);
    const picture = await visit.pixels(pane);
    const [red, , blue] = [1, 3, 5].map((from) =>
      Number.parseInt(picture.at(Math.round(at.x - box.x), Math.round(at.y - box.y)).slice(from, from + 2), 16),
    );
    expect((blue ?? 0) - (red ?? 0)).toBeGreaterThan(80);
    await visit.page.getByLabel("Fade rest").uncheck();
    await expect.poll(() => visit.field("fade")).toBe("0");
    expect(strength(await visit.pixels(pane))).toBeGreaterThan(plain * 0.9);
  });

  it("shows a selection of the link, and the ranks of the program beside the machine", async () => {
    const visit = await open("matrix", { at: `${TORUS}&select=ranks:0-3`, theme: "dark" });
    const pane = visit.pane("torus3d");
    const one = await visit.pixels(pane);
    await visit.page.getByLabel("Process grid").check();
    await expect
      .poll(async () => ((await visit.scene("torus3d")) as unknown as SpaceHeader).space.groups.at(-1))
      .toMatchObject({ of: "rank", count: 64 });
    const both = await visit.pixels(pane);
    expect(strength(one)).toBeGreaterThan(0);
    expect(both.colours().size).not.toBe(one.colours().size);
  });
});
