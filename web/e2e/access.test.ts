/** For people without a mouse, with a screen reader, or with other eyes: what axe finds, and where Tab leads. */
import { describe, expect, inject, it } from "vitest";
import { barriers } from "./harness/axe";
import { open, type Visit } from "./harness/visit";

describe("axe finds no barrier", () => {
  for (const theme of ["light", "dark"] as const) {
    it(`on the page, ${theme}`, async () => {
      const visit = await open("slow", { theme, at: "highlight=MPI_Waitall&hide=MPI_Init&time=1000000:9000000" });
      await visit.drawn();
      expect(await barriers(visit), "page").toEqual([]);
      await visit.page.goto(`${visit.origin}/#v=1&trace=slow&select=37:40&ranks=0-99`);
      await expect.poll(() => visit.get("details").innerText()).toContain("Duration");
      expect(await barriers(visit), "details").toEqual([]);
      await visit.get("search").fill("mpi");
      await expect.poll(() => visit.get("search-hit").count()).toBeGreaterThan(2);
      expect(await barriers(visit), "search").toEqual([]);
      await visit.get("figure").click();
      expect(await barriers(visit), "menu").toEqual([]);
      await visit.page.keyboard.press("Escape");
      await visit.page.keyboard.press("Control+k");
      await expect.poll(() => visit.get("palette").isVisible()).toBe(true);
      expect(await barriers(visit), "palette").toEqual([]);
      await visit.page.keyboard.press("Escape");
      await visit.page.getByRole("button", { name: "Keyboard and mouse" }).click();
      await expect.poll(() => visit.get("help").isVisible()).toBe(true);
      expect(await barriers(visit), "help").toEqual([]);
    });

    it(`on a page of words, ${theme}`, async () => {
      const visit = await open({ url: `${inject("urls").small}&v=1&trace=elsewhere` }, { theme });
      await expect.poll(() => visit.get("message-page").isVisible()).toBe(true);
      expect(await barriers(visit)).toEqual([]);
    });
  }
});

interface Focus {
  name: string;
  hasRing: boolean;
  box: { x: number; y: number; width: number; height: number };
}

/** What has the focus, in words. */
async function focused(visit: Visit): Promise<Focus | null> {
  return visit.page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement) || element === document.body) return null;
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const name = element.dataset.testid ?? element.getAttribute("aria-label") ?? element.innerText;
    const hasRing = style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) > 0;
    return { name: name.trim(), hasRing, box: { x: box.x, y: box.y, width: box.width, height: box.height } };
  });
}

/** Whether one sees what has the focus: it has a ring, or looks otherwise than without the focus. */
async function isSeen(visit: Visit, { hasRing, box }: Focus): Promise<boolean> {
  if (hasRing) return box.width > 0 && box.height > 0;
  const clip = { x: box.x - 3, y: box.y - 3, width: box.width + 6, height: box.height + 6 };
  const focus = await visit.page.evaluateHandle(() => document.activeElement as HTMLElement);
  const before = await visit.page.screenshot({ clip });
  await focus.evaluate((element) => element.blur());
  const after = await visit.page.screenshot({ clip });
  await focus.evaluate((element) => element.focus({ focusVisible: true } as FocusOptions));
  return !before.equals(after);
}

describe("the keyboard", () => {
  it("reaches everything, and one sees where it is", async () => {
    const visit = await open("small");
    await visit.drawn();
    const names = new Set<string>();
    const unseen: string[] = [];
    for (let i = 0; i < 120; i += 1) {
      await visit.page.keyboard.press("Tab");
      const now = await focused(visit);
      if (!now) break;
      names.add(now.name);
      if (!(await isSeen(visit, now))) unseen.push(now.name);
    }
    const wanted = [
      "search",
      "link",
      "figure",
      "theme",
      "Keyboard and mouse",
      "Overview",
      "Time window",
      "Window begins",
      "Window ends",
    ];
    wanted.push("legend-row", "Hide MPI_Waitall", "Only these ranks", "pane-activity", "pane-timeline", "Fewer rows");
    wanted.push("split-right", "split-down", "maximise", "close-pane", "View", "Border between panes");
    expect(wanted.filter((name) => !names.has(name))).toEqual([]);
    expect(unseen).toEqual([]);
  });

  it("is enough to highlight, to move, and to choose from menus", async () => {
    const visit = await open("small");
    await visit.drawn();
    await visit.legendRow("MPI_Waitall").focus();
    await visit.page.keyboard.press("Enter");
    expect(await visit.changed("highlight", null)).toBe("MPI_Waitall");
    await visit.pane("timeline").focus();
    await visit.page.keyboard.press("w");
    await visit.changed("time", null);
    await visit.page.getByRole("button", { name: "Add a tab to Timeline" }).focus();
    await visit.page.keyboard.press("Enter");
    await expect.poll(async () => (await focused(visit))?.name).toBe("Activity");
    await visit.page.keyboard.press("ArrowDown");
    await visit.page.keyboard.press("Enter");
    await expect.poll(() => visit.page.getByRole("tab").allInnerTexts()).toEqual(["Timeline", "Calls"]);
  });

  it("comes back to where it was after a dialog", async () => {
    const visit = await open("small");
    await visit.drawn();
    await visit.legendRow("MPI_Waitall").focus();
    await visit.page.keyboard.press("?");
    await expect.poll(() => visit.get("help").isVisible()).toBe(true);
    await visit.page.keyboard.press("Escape");
    await expect.poll(async () => (await focused(visit))?.name).toBe("legend-row");
  });
});
