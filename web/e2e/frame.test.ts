/** The frame about the pictures: dock, links, palette, help, theme, figures. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { open, type Visit } from "./harness/visit";

const count = (visit: Visit) => visit.page.locator("section.pane").count();

describe("the dock", () => {
  it("splits, changes views, adds tabs and closes; all of it survives a reload", async () => {
    const visit = await open("small");
    await visit.drawn();
    expect(await count(visit)).toBe(2);
    await visit.get("split-right").last().click();
    await expect.poll(() => count(visit)).toBe(3);
    await visit.get("split-down").last().click();
    await expect.poll(() => count(visit)).toBe(4);
    await visit.drawn();
    await visit.page.getByRole("combobox", { name: "View" }).last().selectOption("activity");
    await expect.poll(() => visit.pane("activity").count()).toBe(2);
    await visit.page.getByRole("button", { name: "Add a tab to Activity" }).last().click();
    await visit.page.getByRole("menuitem", { name: "Timeline", exact: true }).click();
    await expect.poll(() => visit.page.getByRole("tab").allInnerTexts()).toEqual(["Activity", "Timeline"]);
    await visit.drawn();
    expect(await visit.pane("timeline").count()).toBe(3);

    const layout = await visit.field("layout");
    const boxes = () =>
      visit.page
        .locator("section.pane")
        .evaluateAll((all) => all.map((one) => JSON.stringify(one.getBoundingClientRect())));
    const before = await boxes();
    await visit.page.reload();
    await visit.drawn();
    expect(await visit.field("layout")).toBe(layout);
    expect(await boxes()).toEqual(before);
    expect(await visit.page.getByRole("tab", { selected: true }).innerText()).toBe("Timeline");

    await visit.get("close-pane").last().click();
    await expect.poll(() => visit.page.getByRole("tab").count()).toBe(0);
    await visit.get("close-pane").last().click();
    await expect.poll(() => count(visit)).toBe(3);
    await visit.page.getByRole("button", { name: "Overview" }).click();
    await expect.poll(() => count(visit)).toBe(2);
    await visit.drawn();
  });

  it("maximises a pane and puts it back", async () => {
    const visit = await open("small");
    await visit.drawn();
    const before = await visit.box(visit.pane("timeline"));
    await visit.get("maximise").last().click();
    await expect.poll(() => count(visit)).toBe(1);
    await visit.drawn();
    const large = await visit.box(visit.pane("timeline"));
    expect(large.height).toBeGreaterThan(before.height + 150);
    await visit.page.getByRole("button", { name: "Restore: Timeline" }).click();
    await expect.poll(() => count(visit)).toBe(2);
    await visit.drawn();
    expect(await visit.box(visit.pane("timeline"))).toEqual(before);
  });

  it("has borders that keys and hands move", async () => {
    const visit = await open("small");
    await visit.drawn();
    const border = visit.page.getByRole("separator", { name: "Border between panes" });
    const height = async () => (await visit.box(visit.pane("activity"))).height;
    const first = await height();
    await border.focus();
    await visit.page.keyboard.press("Shift+ArrowDown");
    await expect.poll(height).toBeGreaterThan(first + 20);
    const second = await height();
    const box = await visit.box(border);
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await visit.drag(at, { x: at.x, y: at.y + 60 });
    await expect.poll(height).toBeGreaterThan(second + 50);
    await visit.drawn();
  });
});

describe("a link", () => {
  for (const theme of ["light", "dark"] as const) {
    it(`opens the same picture again, ${theme}`, async () => {
      const at = "time=9000000:21000000&rows=20:60&highlight=MPI_Waitall&hide=MPI_Init&select=37:40";
      const visit = await open("slow", { theme, at });
      const panes = (of: Visit) => [of.get("strip-scene"), of.pane("activity"), of.pane("timeline")];
      const pictures = async (of: Visit) => {
        const all: Buffer[] = [];
        for (const pane of panes(of)) all.push(await of.picture(pane));
        return all;
      };
      const words = (of: Visit) => of.get("details").innerText();
      const before = await pictures(visit);
      await expect.poll(() => words(visit)).toContain("Duration");
      const said = await words(visit);
      const ground = (await visit.pixels(visit.pane("timeline"))).at(0, 0);
      expect(Number.parseInt(ground.slice(1, 3), 16) > 128).toBe(theme === "light");

      await visit.page.reload();
      const again = await pictures(visit);
      const link = `${visit.origin}/${await visit.page.evaluate(() => window.location.hash)}`;
      const other = await visit.another(link);
      const second = await pictures(other);
      for (const [i, picture] of before.entries()) {
        expect(again[i]?.equals(picture), `pane ${i} after a reload`).toBe(true);
        expect(second[i]?.equals(picture), `pane ${i} in another page`).toBe(true);
      }
      await expect.poll(() => words(other)).toBe(said);
    });
  }

  it("is copied without the token", async () => {
    const visit = await open("small", { at: "time=1000000:2000000" });
    await visit.drawn();
    await visit.get("link").click();
    await expect.poll(() => visit.get("status").innerText()).toContain("Link copied");
    const copied = await visit.page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(`${visit.origin}/#v=1&trace=small&time=1000000:2000000`);
  });
});

describe("the palette", () => {
  it("runs a command by a few letters of its name", async () => {
    const visit = await open("small");
    await visit.drawn();
    await visit.page.keyboard.press("Control+k");
    await expect.poll(() => visit.get("palette").isVisible()).toBe(true);
    await visit.page.keyboard.type("layout tim");
    expect(await visit.get("palette").getByRole("option").first().innerText()).toContain("Layout: Timeline");
    await visit.page.keyboard.press("Enter");
    await expect.poll(() => visit.field("layout")).toBe("timeline");
    expect(await visit.get("palette").count()).toBe(0);
    await expect.poll(() => count(visit)).toBe(1);
    await visit.page.keyboard.press("Control+k");
    await expect.poll(() => visit.get("palette").isVisible()).toBe(true);
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.get("palette").count()).toBe(0);
  });
});

describe("help", () => {
  it("lists the keys, and Escape closes it without clearing the selection", async () => {
    const visit = await open("small", { at: "select=1:6" });
    await visit.drawn();
    await visit.page.keyboard.press("?");
    await expect.poll(() => visit.get("help").innerText()).toContain("Follow the message to its partner");
    for (const words of ["Keyboard and mouse", "Zoom in", "Undo", "Search", "Light or dark theme"]) {
      expect(await visit.get("help").innerText()).toContain(words);
    }
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.get("help").count()).toBe(0);
    expect(await visit.field("select")).toBe("span:1:6");
  });
});

describe("what the mouse can do", () => {
  it("is offered only where it works", async () => {
    const visit = await open("small");
    const offered = async () => {
      await visit.page.keyboard.press("?");
      await expect.poll(() => visit.get("help").count()).toBe(1);
      const words = await visit.get("help").getByRole("region", { name: "Mouse" }).innerText();
      await visit.page.keyboard.press("Escape");
      return [/Alt-drag/, /Alt-wheel/].map((word) => word.test(words));
    };
    const hint = async () => /alt-drag/.test(await visit.get("status").innerText());
    for (const [layout, brush, rows] of [
      ["overview", true, true],
      ["calls", true, false],
      ["1activity", false, false],
      ["1logical", false, true],
    ] as const) {
      await visit.page.goto(`${visit.origin}/#v=1&trace=small&layout=${layout}`);
      await visit.drawn();
      expect(await offered(), layout).toEqual([brush, rows]);
      expect(await hint(), layout).toBe(brush);
    }
  });
});

describe("the right side", () => {
  it("says what stands out in the overview, rather than which keys there are", async () => {
    const visit = await open("slow");
    await visit.drawn();
    const side = visit.page.getByRole("complementary", { name: "Details" });
    // Who is to blame comes first, then what its rounds look like.
    await expect
      .poll(() => side.innerText())
      .toMatch(/WHAT STANDS OUT\s+Rank 37 computes slowly.*\s1\s+.*MPI_Allreduce.*ranks/s);
    expect(await side.innerText()).not.toMatch(/mouse|wheel/i);
    const before = await visit.field("time");
    await visit.get("finding").first().click();
    await visit.changed("time", before);
    expect(await visit.field("highlight")).toBe("MPI_Allreduce");
  });
});

describe("the theme", () => {
  it("changes page and pictures, and is kept", async () => {
    const visit = await open("small");
    const light = await visit.pixels(visit.pane("timeline"));
    const ground = () => visit.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await ground();
    await visit.page.keyboard.press("t");
    await expect.poll(ground).not.toBe(before);
    const dark = await visit.pixels(visit.pane("timeline"));
    expect(Number.parseInt(light.at(0, 0).slice(1, 3), 16)).toBeGreaterThan(200);
    expect(Number.parseInt(dark.at(0, 0).slice(1, 3), 16)).toBeLessThan(80);
    const kept = await ground();
    await visit.page.reload();
    await visit.drawn();
    expect(await ground()).toBe(kept);
    await visit.get("theme").click();
    await expect.poll(ground).toBe(before);
  });
});

describe("a figure", () => {
  it("is saved as what the pane shows", async () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-e2e-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const visit = await open("small", { at: "time=1000000:2000000" });
    await visit.drawn();
    for (const [name, start] of [
      ["SVG", "<svg"],
      ["PDF", "%PDF"],
      ["PNG", "PNG"],
    ] as const) {
      await visit.get("figure").click();
      const waiting = visit.page.waitForEvent("download");
      await visit.page.getByRole("menuitem", { name }).click();
      const download = await waiting;
      expect(download.suggestedFilename()).toMatch(new RegExp(`\\.${name.toLowerCase()}$`));
      expect(download.url()).toContain("time=1000000%3A2000000");
      const saved = join(folder, download.suggestedFilename());
      await download.saveAs(saved);
      expect(readFileSync(saved).subarray(0, 200).toString("latin1")).toContain(start);
    }
  });
});
