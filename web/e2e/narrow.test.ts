/** Windows without room for both sides: everything can still be reached, and nothing covers what one works with. */
import { describe, expect, it } from "vitest";
import { barriers } from "./harness/axe";
import { open, type Visit } from "./harness/visit";

/** Every button in the heads of panes takes a click, and panes lie inside the window. */
async function panesAreFree(visit: Visit): Promise<void> {
  const width = visit.page.viewportSize()?.width ?? 0;
  for (const head of await visit.page.locator(".head").all()) {
    const box = await visit.box(head);
    expect(box.x + box.width).toBeLessThanOrEqual(width);
    for (const button of await head.locator("button:visible:enabled").all()) await button.click({ trial: true });
  }
}

describe("at 700 pixels", () => {
  it("layouts, key and filters, and details can be reached", async () => {
    const visit = await open("slow", { width: 700 });
    await visit.drawn();
    await visit.get("layout-select").selectOption("timeline");
    expect(await visit.changed("layout", null)).toBe("timeline");
    await expect.poll(() => visit.page.locator("section.pane").count()).toBe(1);

    expect(await visit.get("legend").isVisible()).toBe(false);
    await visit.get("open-trace").click();
    await expect.poll(() => visit.get("legend").isVisible()).toBe(true);
    await visit.legendRow("MPI_Allreduce").click();
    expect(await visit.changed("highlight", null)).toBe("MPI_Allreduce");
    await visit.page.getByLabel("Only these ranks").fill("0-63");
    await visit.page.getByLabel("Only these ranks").press("Enter");
    expect(await visit.changed("ranks", null)).toBe("0-63");
    // A press beside it closes it.
    await visit.page.mouse.click(690, 600);
    await expect.poll(() => visit.get("legend").isVisible()).toBe(false);

    await visit.get("open-details").click();
    await expect.poll(() => visit.get("findings").isVisible()).toBe(true);
    expect(await visit.get("open-trace").isVisible()).toBe(true);
    expect(await barriers(visit)).toEqual([]);
  });

  it("a drawer takes the focus and gives it back, and Escape closes it before it clears anything", async () => {
    const visit = await open("slow", { width: 700, at: "select=37:40" });
    await visit.drawn();
    await expect.poll(() => visit.get("open-details").innerText()).not.toContain("What stands out");
    expect(await visit.get("details").isVisible()).toBe(false);
    await panesAreFree(visit);
    await visit.get("open-details").click();
    await expect.poll(() => visit.fact("Duration").isVisible()).toBe(true);
    const focus = () => visit.page.evaluate(() => document.activeElement?.closest("[data-drawer]")?.id ?? "");
    await expect.poll(focus).toBe("side-details");
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.get("details").isVisible()).toBe(false);
    expect(await visit.field("select")).toBe("span:37:40");
    const focused = await visit.page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.testid);
    expect(focused).toBe("open-details");
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.field("select")).toBeNull();
  });

  it("a window that becomes wide has both sides beside the views again", async () => {
    const visit = await open("slow", { width: 700 });
    await visit.drawn();
    await visit.get("open-trace").click();
    await expect.poll(() => visit.get("backdrop").isVisible()).toBe(true);
    await visit.page.setViewportSize({ width: 1600, height: 900 });
    await expect.poll(() => visit.get("backdrop").count()).toBe(0);
    expect(await visit.get("legend").isVisible()).toBe(true);
    expect(await visit.get("findings").isVisible()).toBe(true);
    expect(await visit.get("narrow-bar").isVisible()).toBe(false);
  });
});

describe("at 1000 pixels", () => {
  it("the sides share a column, in which a selection brings its details to the front", async () => {
    const visit = await open("slow", { width: 1000 });
    await visit.drawn();
    const tab = (name: string) => visit.page.getByRole("tab", { name, exact: true });
    expect(await visit.get("legend").isVisible()).toBe(true);
    expect(await visit.get("findings").isVisible()).toBe(false);
    await tab("Details").click();
    await expect.poll(() => visit.get("findings").isVisible()).toBe(true);
    await tab("Key and filters").click();
    await expect.poll(() => visit.get("legend").isVisible()).toBe(true);

    await visit.page.goto(`${visit.origin}/#v=1&trace=slow&layout=overview&select=37:40`);
    await expect.poll(() => visit.fact("Duration").isVisible()).toBe(true);
    expect(await tab("Details").getAttribute("aria-selected")).toBe("true");
    await visit.drawn();
    await panesAreFree(visit);
    expect(await barriers(visit)).toEqual([]);
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.get("legend").isVisible()).toBe(true);
  });
});
