/** From a printed address to a picture, and what the page says when there is none. */
import { readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, inject, it } from "vitest";
import { Heddle } from "./harness/heddle";
import { readPng } from "./harness/png";
import { open } from "./harness/visit";

const heddle = new Heddle();
afterAll(() => heddle.end());

describe("the demo", () => {
  it("opens from its printed address, whose token goes away", async () => {
    const server = await heddle.serve(["demo", "halo"]);
    const visit = await open(server);
    await visit.drawn();
    expect(server.url).toContain("#token=");
    expect(visit.page.url()).not.toContain("token");
    expect(await visit.field("trace")).toBe("halo");
    await expect.poll(() => visit.page.locator("h1").innerText()).toMatch(/^halo · 256 ranks · [\d,]+ spans · /);
    expect(await visit.page.title()).toContain("halo");
    // Each picture has the colour that the legend gives to the function with most time, and that of another one.
    const swatch = async (row: number) =>
      toHex(
        await visit
          .get("legend-row")
          .nth(row)
          .locator(".sw")
          .evaluate((one) => getComputedStyle(one).backgroundColor),
      );
    const wanted = [await swatch(0), await swatch(1)];
    expect(wanted[0]).not.toBe(wanted[1]);
    for (const pane of [visit.get("strip-scene"), visit.pane("activity"), visit.pane("timeline")]) {
      const colours = (await visit.pixels(pane)).colours();
      for (const colour of wanted) expect(colours.get(colour) ?? 0, colour).toBeGreaterThan(20);
    }
    expect(await server.stop()).toBe(0);
  });
});

describe("a trace", () => {
  it("that has to be imported first appears by itself", async () => {
    const trace = await heddle.simulate("recorded", ["--ranks", "8", "--iterations", "20"], "otf2");
    const visit = await open(await heddle.serve(["open", trace]));
    await expect.poll(() => visit.page.locator("h1").innerText()).toContain("8 ranks");
    await visit.drawn();
    expect(await visit.subtitle("logical").innerText()).toContain("ranks 0–7");
  });

  it("whose store is cut while it is open goes off the page, with words, and the others stay", async () => {
    const [one, other] = await Promise.all(
      ["cut", "whole"].map((name) => heddle.simulate(name, ["--ranks", "4", "--iterations", "4"])),
    );
    const server = await heddle.serve(["open", one ?? "", other ?? ""]);
    const visit = await open(server);
    visit.expectFault(/status of 422/);
    await visit.page.goto(`${server.origin}/#v=1&trace=cut&layout=overview`);
    await visit.drawn();
    // Nothing asks by itself any more.
    await visit.get("first-sentence").waitFor();
    for (const file of readdirSync(one ?? ""))
      if (/\.(arrow|packed)$/.test(file)) truncateSync(join(one ?? "", file), 1);
    // One pane asks; the pictures of the others would be of something that is not there any more.
    const timeline = await visit.box(visit.pane("timeline"));
    await visit.wheel({ x: timeline.x + timeline.width / 2, y: timeline.y + timeline.height / 2 }, -300);
    await expect.poll(() => visit.get("message-page").count()).toBe(1);
    const words = await visit.get("message-page").innerText();
    expect(words).toContain("cut can no longer be shown");
    expect(words).toContain("heddle import --force");
    await visit.get("message-page").getByRole("button", { name: "whole" }).click();
    await visit.drawn();
    expect(await visit.field("trace")).toBe("whole");
  });

  it("with a hostile name is text, not markup, and cannot turn the line around", async () => {
    const name = "<img src=x onerror=alert(1)> \u202ecba";
    const store = await heddle.simulate(name, ["--ranks", "4", "--iterations", "4"]);
    const visit = await open(await heddle.serve(["open", store]));
    await visit.drawn();
    const heading = visit.page.locator("h1");
    expect(await heading.innerText()).toContain("<img src=x onerror=alert(1)> ");
    expect(await heading.innerText()).not.toContain("\u202e");
    expect(await visit.page.title()).not.toContain("\u202e");
    expect(await visit.page.locator("img").count()).toBe(0);
  });
});

describe("two traces", () => {
  it("are offered, and one can go from one to the other", async () => {
    const first = await heddle.simulate("before", ["--ranks", "4", "--iterations", "4"]);
    const second = await heddle.simulate("after", ["--ranks", "9", "--iterations", "4"]);
    const visit = await open(await heddle.serve(["open", first, second]));
    await expect.poll(() => visit.get("message-page").innerText()).toContain("Which trace?");
    await visit.page.getByRole("button", { name: "after" }).click();
    await visit.drawn();
    expect(await visit.field("trace")).toBe("after");
    expect(await visit.page.locator("h1").innerText()).toContain("9 ranks");
    await visit.get("trace-select").selectOption("before");
    await expect.poll(() => visit.page.locator("h1").innerText()).toContain("4 ranks");
    await visit.drawn();
    expect(await visit.subtitle("logical").innerText()).toContain("ranks 0–3");
    await visit.page.goBack();
    await expect.poll(() => visit.page.locator("h1").innerText()).toContain("9 ranks");
  });
});

describe("the page explains", () => {
  it("a trace that cannot be read", async () => {
    const trace = join(heddle.folder, "broken.otf2");
    writeFileSync(trace, "this is no trace ".repeat(100));
    const server = await heddle.serve(["open", trace]);
    const visit = await open(server);
    const words = visit.get("message-page");
    await expect.poll(() => words.innerText()).toContain("broken could not be opened");
    expect(await words.getByRole("alert").innerText()).toMatch(/broken\.otf2.*\w{4}/s);
    expect(await words.innerText()).toContain("heddle formats");
    expect(await server.stop()).toBe(1);
  });

  it("an address without its token, or with a wrong one", async () => {
    for (const fragment of ["", "#token=00000000"]) {
      const visit = await open({ url: `${new URL(inject("urls").small).origin}/${fragment}` });
      visit.expectFault(/status of 401/);
      const words = visit.get("message-page");
      await expect.poll(() => words.innerText()).toContain("This page needs its key");
      expect(await words.innerText()).toContain("heddle list");
      expect(visit.page.url()).not.toContain("token");
    }
  });

  it("a link to a trace that is not here", async () => {
    const visit = await open({ url: `${inject("urls").small}&v=1&trace=elsewhere` });
    await expect.poll(() => visit.get("message-page").innerText()).toContain("That trace is not here");
    await visit.page.getByRole("button", { name: "small" }).click();
    await visit.drawn();
    expect(await visit.field("trace")).toBe("small");
  });

  it("a picture that cannot be drawn, and draws it on demand", async () => {
    const visit = await open("small");
    await visit.drawn();
    visit.expectFault(/status of 500/);
    const error = "Nobody knows why.";
    await visit.page.route(/\/scene\//, (route) => route.fulfill({ status: 500, json: { error } }));
    await visit.page.reload();
    const failures = visit.page.locator(".pane-failure");
    await expect.poll(() => failures.count()).toBe(3);
    for (const words of await failures.allInnerTexts()) expect(words).toContain(error);
    await visit.page.unrouteAll();
    for (const rest of [2, 1, 0]) {
      await failures.first().getByRole("button", { name: "Retry" }).click();
      await expect.poll(() => failures.count()).toBe(rest);
    }
    await visit.drawn();
  });

  it("a server that went away, and what to do when there is a new one", async () => {
    const store = await heddle.simulate("away", ["--ranks", "4", "--iterations", "4"]);
    const server = await heddle.serve(["open", store]);
    const visit = await open(server);
    visit.expectFault(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/, /status of 401/);
    await visit.drawn();
    expect(await server.stop()).toBe(0);
    await visit.page.keyboard.press("w");
    const banner = visit.page.locator(".banner");
    await expect.poll(() => banner.innerText()).toContain("The Heddle server does not answer");
    // What was drawn stays.
    await expect.poll(() => visit.pane("timeline").getAttribute("data-busy")).toBe("false");
    expect(await visit.page.locator("h1").innerText()).toContain("4 ranks");
    const colours = readPng(await visit.pane("timeline").screenshot()).colours();
    expect(colours.size).toBeGreaterThan(20);
    // A new server has a new token; the page finds out by itself and says where to look for it.
    const again = await heddle.serve(["open", store], server.port);
    expect(again.url).not.toBe(server.url);
    await expect.poll(() => visit.get("message-page").innerText()).toContain("This page needs its key");
    expect(await visit.get("message-page").innerText()).toContain("heddle list");
    // Pasting it into the same tab is enough.
    await visit.page.goto(again.url);
    await visit.drawn();
    expect(await banner.count()).toBe(0);
  });
});

/** "rgb(1, 2, 3)" as "#010203". */
function toHex(rgb: string): string {
  const parts = rgb.match(/\d+/g) ?? [];
  return `#${parts
    .slice(0, 3)
    .map((part) => Number(part).toString(16).padStart(2, "0"))
    .join("")}`;
}
