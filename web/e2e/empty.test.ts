/** No pane is blank without a word: it says what is missing, why, and how to get it back. */
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { TraceInfo } from "../src/api/types";
import { Heddle } from "./harness/heddle";
import { open, type Visit } from "./harness/visit";

const heddle = new Heddle();
afterAll(() => heddle.end());

const notices = (visit: Visit) => visit.get("empty-notice");

describe("a pane without anything in it", () => {
  it("has been left nothing by a filter of calls, and shows them again", async () => {
    const visit = await open("small", { at: "layout=calls&durations=8000000000000:9000000000000" });
    await visit.drawn();
    await expect.poll(() => notices(visit).count()).toBe(3);
    for (const words of await notices(visit).allInnerTexts())
      expect(words).toMatch(/No calls to show here\.\s+The filter of calls leaves nothing over\./);
    await notices(visit).first().getByRole("button", { name: "Show all calls" }).click();
    await expect.poll(() => notices(visit).count()).toBe(0);
    expect(await visit.field("durations")).toBeNull();
  });

  it("has been left nothing by hidden functions and a window of time, and names both", async () => {
    const visit = await open("small");
    await visit.drawn();
    const { regions } = await visit.api<TraceInfo>("traces/small");
    const hide = regions.map(({ name }) => `hide=${encodeURIComponent(name)}`).join("&");
    await visit.page.goto(`${visit.origin}/#v=1&trace=small&layout=overview&time=1000000:2000000&${hide}`);
    await visit.drawn();
    // Neither the shares of functions nor the timeline, whose messages go with the calls at their ends.
    await expect.poll(() => notices(visit).count()).toBe(2);
    for (const words of await notices(visit).allInnerTexts()) {
      expect(words).toMatch(/No (?:functions to show|calls) here\./);
      expect(words).toContain("The time window and hidden functions leave nothing over.");
    }
    await notices(visit).first().getByRole("button", { name: "Show hidden functions" }).click();
    await expect.poll(() => notices(visit).count()).toBe(0);
  });

  it("has no messages between the ranks that are left", async () => {
    const visit = await open("small", { at: "layout=matrix&ranks=2" });
    await visit.drawn();
    await expect.poll(() => notices(visit).allInnerTexts()).toHaveLength(1);
    expect(await notices(visit).innerText()).toMatch(
      /No messages to show here\.\s+The filter of ranks leaves nothing over/,
    );
    await notices(visit).getByRole("button", { name: "Show all ranks" }).click();
    await expect.poll(() => notices(visit).count()).toBe(0);
  });

  it("has no messages although it has cells", async () => {
    const visit = await open("slow", { at: "layout=matrix&ranks=0,9" });
    await visit.drawn();
    await expect.poll(() => notices(visit).allInnerTexts()).toHaveLength(1);
    expect((await visit.scene("matrix")).y.to).toBe("2");
  });

  it("lets the picture below it be moved", async () => {
    const visit = await open("small", { at: "layout=calls&durations=8000000000000:9000000000000" });
    await visit.drawn();
    await expect.poll(() => notices(visit).count()).toBe(3);
    const box = await visit.box(notices(visit).first().locator("b"));
    await visit.wheel({ x: box.x + 2, y: box.y + 2 }, -400);
    await visit.changed("time", null);
  });
});

describe("sums that are all nothing", () => {
  it("are said to be, and lead nowhere: the panes above have the picture", async () => {
    const store = await heddle.simulate("token", ["--ranks", "2"], "heddle", "ring");
    const server = await heddle.serve(["open", store]);
    const visit = await open(server);
    await visit.page.goto(`${server.origin}/#v=1&trace=token&layout=logical`);
    await visit.drawn();
    await expect.poll(() => notices(visit).allInnerTexts()).toEqual(["The metric is 0 at every step."]);
  });
});

describe("a layout that has nothing to show of a trace", () => {
  it("is not offered, and a link to it says why", async () => {
    const store = await heddle.simulate("sums", ["--ranks", "8"], "heddle", "train");
    const server = await heddle.serve(["open", store]);
    const visit = await open(server);
    await visit.drawn();
    const tabs = visit.page.locator("nav.tabs button");
    expect(await tabs.allInnerTexts()).toEqual([
      "Overview",
      "Calls",
      "Logical time",
      "Timeline",
      "Profile",
      "Network",
      "Progress",
      "Diagnosis",
    ]);
    await visit.page.goto(`${server.origin}/#v=1&trace=sums&layout=matrix`);
    await expect.poll(() => notices(visit).count()).toBe(1);
    expect(await notices(visit).innerText()).toMatch(/No messages to show here\.\s+The trace has no messages\./);
    await expect.poll(() => visit.page.locator("nav.tabs .on").innerText()).toBe("Matrix");
    await notices(visit).getByRole("button", { name: "Show the overview" }).click();
    await expect.poll(() => tabs.allInnerTexts()).not.toContain("Matrix");
  });
});

/** Programs whose ranks communicate from other threads and streams than the first, or not at all. */
const TRACES = process.env.HEDDLE_TRACES ?? "";
const REAL = { PyTorch: "kineto/nccl-2ranks-rank0.json.gz", StarPU: "starpu/lu30_normal/paje.trace.gz" };

describe.skipIf(TRACES === "")("every pane of every layout of a trace", () => {
  for (const [name, file] of Object.entries(REAL)) {
    const path = join(TRACES, file);
    it(`of ${name} has a picture or words`, async () => {
      const visit = await open(await heddle.serve(["open", path]));
      await visit.drawn();
      for (const tab of await visit.page.locator("nav.tabs button").all()) {
        await tab.click();
        await visit.drawn();
        for (const pane of await visit.page.locator("section.pane").all()) {
          const title = await pane.getAttribute("aria-label");
          const words = await pane.locator('.empty-notice, [data-state="none"]').count();
          if (words > 0) continue;
          const { width, height, colours } = await visit.pixels(pane.locator(".pane-holder"));
          const [ground = 0] = [...colours().values()].sort((a, b) => b - a);
          expect(colours().size, `${await tab.innerText()}: ${title}`).toBeGreaterThan(3);
          expect(ground, `${await tab.innerText()}: ${title}`).toBeLessThan(width * height * 0.999);
        }
      }
      // Logical time has nothing to show of it: only a link leads there.
      const offered = await visit.page.locator("nav.tabs button").allInnerTexts();
      expect(offered).not.toContain("Logical time");
      await visit.page.goto(`${visit.origin}/#v=1&trace=${await visit.field("trace")}&layout=logical`);
      await visit.drawn();
      // Here only one thread or stream per rank would have steps, and none of those communicates.
      const silent = visit.page
        .locator("section.pane")
        .filter({ hasNot: visit.page.locator('.empty-notice, [data-state="none"]') });
      await expect.poll(() => silent.count()).toBe(0);
      await expect.poll(() => visit.page.getByRole("button", { name: "Show the overview" }).count()).toBeGreaterThan(0);
      await visit.page.getByRole("button", { name: "Show the overview" }).first().click();
      await expect.poll(() => visit.page.locator("nav.tabs .on").innerText()).toBe("Overview");
      await visit.drawn();
      expect(await notices(visit).count()).toBe(0);
    }, 120_000);
  }
});
