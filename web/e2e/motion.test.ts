/** Messages in motion: played, paused, scrubbed and stepped through, pointed at, and told where they are too many; and flying. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { Heddle } from "./harness/heddle";
import { open, type Visit } from "./harness/visit";

const heddle = new Heddle();
let server: { url: string };
let crowd: { url: string };

beforeAll(async () => {
  const few = ["--ranks", "64", "--iterations", "4"];
  server = await heddle.serve(["open", await heddle.simulate("few", few)]);
  const many = ["--ranks", "4096", "--iterations", "1"];
  crowd = await heddle.serve(["open", await heddle.simulate("many", many)]);
});
afterAll(() => heddle.end());

const MACHINE = "ranks-per-node=1&motion=dots";

/** The machine that a view shows. */
const topologyOf = (layout: string) => (layout.includes("fattree") ? "fat-tree:4^3" : "4x4x4");

async function visitMotion(layout: string, more = ""): Promise<Visit> {
  const visit = await open(
    { url: `${server.url}&v=1&trace=few&layout=${layout}&topology=${topologyOf(layout)}&${MACHINE}${more}` },
    { at: "" },
  );
  await visit.drawn();
  await visit.get("motion-told").waitFor();
  return visit;
}

const dots = async (visit: Visit, view: string) => Number(await visit.pane(view).getAttribute("data-dots"));
const moment = async (visit: Visit) => visit.get("moment").innerText();

/** Goes to a moment with so many messages on their way, or more. */
async function toMessages(visit: Visit, view: string, least = 1): Promise<void> {
  for (let step = 0; step < 80; step += 1) {
    await visit.get("player").getByLabel("To the next message").click();
    await visit.drawn();
    if ((await dots(visit, view)) < least) continue;
    // The link follows a moment later.
    await expect.poll(() => visit.field("at")).not.toBeNull();
    return;
  }
  throw new Error("no messages are ever on their way");
}

for (const view of ["torus", "torus3d", "fattree"]) {
  it(`moves messages in ${view}: steps, scrubs, plays, pauses`, async () => {
    const visit = await visitMotion(`1${view}`);
    const player = visit.get("player");
    // It does not begin by itself.
    expect(await player.getAttribute("data-playing")).toBe("false");
    await toMessages(visit, view);
    const [place, picture] = [
      await visit.pane(view).getAttribute("data-dot-at"),
      await visit.picture(visit.pane(view)),
    ];
    await player.getByLabel("To the next message").click();
    await visit.drawn();
    const box = await visit.box(visit.get("scrubber"));
    const before = await moment(visit);
    await visit.page.mouse.click(box.x + box.width * 0.5, box.y + box.height / 2);
    await visit.drawn();
    expect(await moment(visit)).not.toBe(before);
    await expect.poll(async () => Number(await visit.field("at"))).toBeGreaterThan(1e6);
    const [at, scrubbed] = [Number(await visit.field("at")), await moment(visit)];
    await player.getByRole("button", { name: "16×" }).click();
    await player.getByLabel("Play (Space)").click();
    // Time goes by before it is stopped, and where messages are with it.
    await expect.poll(() => moment(visit)).not.toBe(scrubbed);
    await expect.poll(() => visit.pane(view).getAttribute("data-dot-at")).not.toBe(place);
    await visit.page.keyboard.press("Space");
    await expect.poll(() => player.getAttribute("data-playing")).toBe("false");
    await visit.drawn();
    const rested = await moment(visit);
    await expect.poll(async () => Number(await visit.field("at"))).toBeGreaterThan(at);
    expect((await visit.picture(visit.pane(view))).equals(picture)).toBe(false);
    expect(await moment(visit)).toBe(rested);
  });
}

for (const view of ["torus", "torus3d"]) {
  it(`shows the path of a message that is clicked in ${view}`, async () => {
    const visit = await visitMotion(`1${view}`);
    await toMessages(visit, view);
    const box = await visit.box(visit.pane(view));
    const [x = 0, y = 0] = ((await visit.pane(view).getAttribute("data-dot-at")) ?? "").split(":").map(Number);
    await visit.page.mouse.click(box.x + x, box.y + y);
    await expect.poll(() => visit.field("select")).toMatch(/^message:/);
    const details = visit.get("details");
    await expect.poll(() => details.innerText()).toMatch(/Message of rank \d+ to rank \d+/i);
    await expect.poll(() => details.innerText()).toMatch(/\d hops? from \(/);
  });
}

it("plays at four speeds, and says how fast that is", async () => {
  const visit = await visitMotion("1torus");
  const player = visit.get("player");
  const said: string[] = [];
  for (const name of ["¼×", "1×", "4×", "16×"]) {
    await player.getByRole("button", { name, exact: true }).click();
    const text = await player.getByTitle("At this speed").innerText();
    expect(text).toMatch(/^1 s shows /);
    said.push(text);
  }
  expect(new Set(said).size).toBe(4);
});

it("draws pipes, colours messages by what one asks, and links by now or the sum", async () => {
  const visit = await visitMotion("1torus3d");
  // Those that were sent first have passed something already.
  await toMessages(visit, "torus3d", 12);
  const pane = visit.pane("torus3d");
  const asDots = await visit.picture(pane);
  await visit.get("player").getByRole("button", { name: "Pipes" }).click();
  await expect.poll(() => pane.getAttribute("data-motion")).toBe("pipes");
  await visit.drawn();
  expect((await visit.picture(pane)).equals(asDots)).toBe(false);
  const key = await visit.get("motion-key").getAttribute("title");
  expect(key).toMatch(/wait of a message, beyond/);
  await visit.get("player").getByLabel("Messages by").selectOption("source");
  await expect.poll(() => visit.get("motion-key").getAttribute("title")).toBe("rank that sends");
  const box = await visit.box(visit.get("scrubber"));
  await visit.page.mouse.click(box.x + box.width - 3, box.y + box.height / 2);
  await visit.drawn();
  const now = await pane.getAttribute("data-heat");
  await visit.get("player").getByRole("button", { name: "Sum" }).click();
  await expect.poll(() => pane.getAttribute("data-heat")).not.toBe(now);
  expect(await visit.field("activity")).toBe("sum");
});

it("goes back to windows and stages, and the link opens the moment", async () => {
  const visit = await visitMotion("1torus");
  await toMessages(visit, "torus");
  const [at, picture] = [await moment(visit), await visit.picture(visit.pane("torus"))];
  await visit.page.reload();
  await visit.get("motion-told").waitFor();
  await visit.drawn();
  expect(await moment(visit)).toBe(at);
  expect((await visit.picture(visit.pane("torus"))).equals(picture)).toBe(true);
  await visit.get("player").getByRole("button", { name: "Windows" }).click();
  await expect.poll(() => visit.field("motion")).toBeNull();
  await visit.get("player-at").waitFor();
  expect(await visit.pane("torus").getAttribute("data-dots")).toBeNull();
});

it("shows activity alone where too many messages are in flight, and says so", async () => {
  const more = "topology=16x16x16&ranks-per-node=1&motion=dots";
  const visit = await open({ url: `${crowd.url}&v=1&trace=many&layout=1torus3d&${more}` }, { at: "" });
  await visit.drawn();
  const pane = visit.pane("torus3d");
  const box = await visit.box(visit.get("scrubber"));
  for (let part = 1; part < 40; part += 1) {
    await visit.page.mouse.click(box.x + (box.width * part) / 40, box.y + box.height / 2);
    await visit.drawn();
    if (Number(await pane.getAttribute("data-in-flight")) > 4000) break;
  }
  await expect
    .poll(() => visit.get("motion-told").innerText())
    .toMatch(/^\d+,\d{3} messages in flight: activity of links and switches is shown\.$/);
  expect(await pane.getAttribute("data-dots")).toBe("0");
  expect(Number(await pane.getAttribute("data-heat"))).toBeGreaterThan(0);
});

it("is flown through by keys, and the link opens where one is", async () => {
  const visit = await open(
    { url: `${server.url}&v=1&trace=few&layout=1torus3d&topology=4x4x4&ranks-per-node=1` },
    { at: "" },
  );
  await visit.drawn();
  const pane = visit.pane("torus3d");
  const whole = await visit.picture(pane);
  await pane.focus();
  await visit.page.keyboard.press("f");
  await expect.poll(() => pane.getAttribute("data-flies")).toBe("true");
  await visit.page.keyboard.down("w");
  await visit.page.waitForTimeout(400);
  await visit.page.keyboard.up("w");
  const aim = await visit.changed("aim", null);
  const inside = await visit.picture(pane);
  expect(inside.equals(whole)).toBe(false);
  expect(await visit.field("turn")).toBe(null);
  // Looking around turns about the eye.
  const box = await visit.box(pane);
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await visit.drag(middle, { x: middle.x + 100, y: middle.y });
  await visit.changed("turn", null);
  expect(await visit.field("aim")).not.toBe(aim);
  const there = await visit.picture(pane);
  await visit.page.reload();
  expect((await visit.picture(pane)).equals(there)).toBe(true);
  await pane.focus();
  await visit.page.keyboard.press("f");
  await visit.page.keyboard.press("Escape");
  await expect.poll(() => pane.getAttribute("data-flies")).toBe("false");
});
