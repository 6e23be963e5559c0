/** Finding and following: select, neighbours, messages, search, legend, filters. */
import { describe, expect, it } from "vitest";
import type { Details, Target, TraceInfo } from "../src/api/types";
import type { TraceName } from "./harness/setup";
import { open, type Visit } from "./harness/visit";

async function find(visit: Visit, trace: TraceName, name: string, direction: string): Promise<Target> {
  const { regions } = await visit.api<TraceInfo>(`traces/${trace}`);
  const region = regions.find((one) => one.name === name)?.id;
  return visit.api<Target>(`traces/${trace}/find?region=${region}&after=0&direction=${direction}`);
}

/** A page that shows one span of the small trace in the middle, with all ranks about it. */
async function openAt(
  name: string,
  direction = "next",
  /** The window in lengths of the span. */
  lengths = 20,
): Promise<{ visit: Visit; target: Target }> {
  const visit = await open("small");
  await visit.drawn();
  const target = await find(visit, "small", name, direction);
  const [start, end] = [Number(target.start_ns), Number(target.end_ns)];
  const width = (end - start) * lengths;
  const middle = (start + end) / 2;
  const time = [Math.max(Math.round(middle - width / 2), 0), Math.round(middle + width / 2)];
  await visit.page.goto(`${visit.origin}/#v=1&trace=small&time=${time.join(":")}`);
  await visit.drawn();
  return { visit, target };
}

async function click(visit: Visit, { start_ns, end_ns, row }: Target): Promise<void> {
  const point = await visit.pointAt("timeline", (Number(start_ns) + Number(end_ns)) / 2, row ?? 0);
  await visit.page.mouse.click(point.x, point.y);
}

/** Whether a place has a mark with a selection that it lacks without: hundreds of pixels of a colour of their own. */
async function isMarked(visit: Visit, pane: string, at: string, select: string): Promise<boolean> {
  const colours = async (fragment: string) => {
    await visit.page.goto(`${visit.origin}/#${fragment}`);
    await visit.drawn();
    return (await visit.pixels(visit.pane(pane))).colours();
  };
  const [without, marked] = [await colours(at), await colours(`${at}&select=${select}`)];
  return [...marked].some(([colour, count]) => count > 200 && !without.has(colour));
}

const title = (visit: Visit) => visit.page.locator(".selected-title").innerText();

describe("a click", () => {
  it("selects a span and says what it is", async () => {
    const { visit, target } = await openAt("MPI_Waitall", "longest");
    const before = await visit.picture(visit.pane("timeline"));
    await click(visit, target);
    expect(await visit.changed("select", null)).toBe(target.select);
    await expect.poll(() => title(visit)).toBe("MPI_Waitall");
    expect(await visit.fact("On").innerText()).toMatch(new RegExp(`^rank ${target.row}\\b`));
    // Some microseconds, in four digits.
    const length = `${((Number(target.end_ns) - Number(target.start_ns)) / 1e3).toPrecision(4)} µs`;
    expect(await visit.fact("Duration").innerText()).toContain(length);
    expect((await visit.picture(visit.pane("timeline"))).equals(before)).toBe(false);
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.field("select")).toBe(null);
    expect((await visit.picture(visit.pane("timeline"))).equals(before)).toBe(true);
  });

  it("is followed by arrows to neighbours, caller and callee", async () => {
    const { visit, target } = await openAt("MPI_Isend");
    await click(visit, target);
    await visit.changed("select", null);
    const go = async (key: string, to: Target | undefined) => {
      expect(to, key).toBeDefined();
      const before = await visit.field("select");
      // The details of a span have to be there before one can go on from it.
      await expect.poll(() => visit.page.locator(".steps").isVisible()).toBe(true);
      await visit.page.keyboard.press(key);
      expect(await visit.changed("select", before)).toBe(to?.select);
      const details = await visit.api<Details>(`traces/small/details?select=${to?.select}`);
      await expect.poll(() => title(visit)).toBe(details.title);
      await expect
        .poll(() => visit.fact("Time").innerText())
        .toBe(details.facts.find((one) => one.label === "Time")?.text);
      return details;
    };
    await expect.poll(() => title(visit)).toBe("MPI_Isend");
    const first = await visit.api<Details>(`traces/small/details?select=${target.select}`);
    const next = await go("ArrowRight", first.next);
    await go("ArrowLeft", next.previous);
    const parent = await go("ArrowUp", first.parent);
    expect(parent.title).toBe("iterate");
    await go("ArrowDown", parent.child);
  });

  it("is followed through the communication of its rank without ever going up to a caller", async () => {
    const { visit, target } = await openAt("MPI_Isend");
    await click(visit, target);
    await visit.changed("select", null);
    const seen: string[] = [];
    // Enough for two iterations: each has sends, receives and a wait.
    for (let step = 0; step < 12; step += 1) {
      const before = await visit.field("select");
      const known = await visit.api<Details>(`traces/small/details?select=${before}`);
      await expect
        .poll(() => visit.fact("Time").innerText())
        .toBe(known.facts.find((one) => one.label === "Time")?.text);
      await visit.page.keyboard.press("ArrowRight");
      expect(await visit.changed("select", before)).toBe(known.next?.select);
      seen.push(known.title);
    }
    expect(seen.filter((name) => !name.startsWith("MPI_"))).toEqual([]);
    expect(new Set(seen)).toEqual(new Set(["MPI_Isend", "MPI_Irecv", "MPI_Waitall"]));
    expect(seen.filter((name) => name === "MPI_Waitall").length).toBeGreaterThanOrEqual(2);
  });

  it("is followed along a message to the other rank, by key and by link", async () => {
    const { visit, target } = await openAt("MPI_Isend");
    await click(visit, target);
    await expect.poll(() => title(visit)).toBe("MPI_Isend");
    const sent = await visit.fact("Message sent").innerText();
    const other = /to rank (\d+)/.exec(sent)?.[1];
    expect(Number(other)).not.toBe(target.row);
    await visit.page.keyboard.press("m");
    const partner = await visit.changed("select", target.select);
    await expect.poll(() => title(visit)).toMatch(/^MPI_(Waitall|Irecv)$/);
    expect(await visit.fact("On").innerText()).toContain(`rank ${other}`);
    await visit.page.keyboard.press("Control+z");
    await expect.poll(() => visit.field("select")).toBe(target.select);
    await expect.poll(() => title(visit)).toBe("MPI_Isend");
    await visit.fact("Message sent").getByRole("button").click();
    await expect.poll(() => visit.field("select")).toBe(partner);
  });

  it("on a hover says what it would select", async () => {
    const { visit, target } = await openAt("MPI_Waitall", "longest");
    const point = await visit.pointAt(
      "timeline",
      (Number(target.start_ns) + Number(target.end_ns)) / 2,
      target.row ?? 0,
    );
    await visit.page.mouse.move(point.x, point.y);
    await expect.poll(() => visit.get("tooltip").innerText()).toContain("MPI_Waitall");
    await visit.page.mouse.move(2, 2);
    await expect.poll(() => visit.get("tooltip").isVisible()).toBe(false);
  });
});

describe("names", () => {
  it("are written into spans that have room for them", async () => {
    const { visit } = await openAt("MPI_Waitall", "longest", 4);
    const { labels } = await visit.scene("timeline");
    const label = labels.find((one) => one.text.startsWith("MPI_Waitall"));
    expect(label).toBeDefined();
    // Where the label stands, there is ink on the canvas of texts.
    const ink = await visit.pane("timeline").evaluate((pane, [x = 0, y = 0]) => {
      const canvas = pane.querySelector<HTMLCanvasElement>(".pane-text");
      const scale = (canvas?.width ?? 0) / pane.clientWidth;
      const box = [(x - 20) * scale, (y - 12) * scale, 60 * scale, 16 * scale] as const;
      return (
        canvas
          ?.getContext("2d")
          ?.getImageData(...box)
          .data.filter((byte, i) => i % 4 === 3 && byte > 0).length ?? 0
      );
    }, label?.at ?? [0, 0]);
    expect(ink).toBeGreaterThan(50);
  });
});

describe("search", () => {
  it("finds a function, highlights it and goes from call to call", async () => {
    const visit = await open("slow");
    await visit.drawn();
    await visit.page.keyboard.press("/");
    await visit.page.keyboard.type("allred");
    await expect.poll(() => visit.get("search-hit").allInnerTexts()).toHaveLength(1);
    expect(await visit.get("search-hit").innerText()).toContain("MPI_Allreduce");
    await visit.page.keyboard.press("Enter");
    const first = await visit.changed("select", null);
    expect(await visit.field("highlight")).toBe("MPI_Allreduce");
    expect(await visit.legendRow("MPI_Allreduce").getAttribute("aria-pressed")).toBe("true");
    await expect.poll(() => title(visit)).toBe("MPI_Allreduce");
    await visit.page.keyboard.press("Enter");
    const second = await visit.changed("select", first);
    await expect.poll(() => title(visit)).toBe("MPI_Allreduce");
    await visit.page.keyboard.press("Shift+Enter");
    expect(await visit.changed("select", second)).toBe(first);
  });

  it("brings a rank into view, and marks its row in every view that has rows", async () => {
    const visit = await open("slow");
    await visit.drawn();
    await visit.get("search").fill("200");
    await expect.poll(() => visit.get("search-hit").first().innerText()).toContain("rank 200");
    await visit.page.keyboard.press("Enter");
    await visit.changed("rows", null);
    const [from, to] = (await visit.window("rows")) ?? [0, 0];
    expect(from).toBeLessThanOrEqual(200);
    expect(to).toBeGreaterThan(200);
    expect(to - from).toBeLessThanOrEqual(64);
    expect((await visit.scene("timeline")).y.ticks.map(([, label]) => label)).toContain("200");
    expect(await visit.field("select")).toBe("ranks:200");
    await expect.poll(() => title(visit)).toBe("rank 200");
    for (const [layout, panes] of [
      ["overview", ["timeline"]],
      ["logical", ["logical", "timeline"]],
      ["matrix", ["matrix", "timeline"]],
    ] as const) {
      const at = `v=1&trace=slow&layout=${layout}&rows=180:220`;
      for (const pane of panes) expect(await isMarked(visit, pane, at, "ranks:200"), `${pane} in ${layout}`).toBe(true);
    }
  });

  it("finds a node, and marks the rows of its ranks", async () => {
    const visit = await open("slow");
    await visit.drawn();
    await visit.get("search").fill("node 3");
    await expect.poll(() => visit.get("search-hit").first().innerText()).toMatch(/node 3\s+ranks 48-63/);
    await visit.page.keyboard.press("Enter");
    expect(await visit.changed("select", null)).toBe("ranks:48-63");
    const [from, to] = (await visit.window("rows")) ?? [0, 256];
    expect([from <= 48, to >= 64, to - from < 128]).toEqual([true, true, true]);
    await expect.poll(() => title(visit)).toBe("16 ranks");
    expect(await isMarked(visit, "timeline", "v=1&trace=slow&rows=32:80", "ranks:48-63")).toBe(true);
  });

  it("says when nothing has a name, what may have been meant, and that a filter may hide it", async () => {
    const visit = await open("slow", { at: "ranks=0-15" });
    await visit.drawn();
    const nothing = visit.get("search-nothing");
    await visit.get("search").fill("alreduce");
    await expect.poll(() => nothing.innerText()).toContain("Nothing is named “alreduce” on ranks 0-15.");
    expect(await nothing.innerText()).toMatch(/part of a function's name, a rank \(7\), a node/);
    await nothing.getByRole("button", { name: "MPI_Allreduce" }).click();
    await expect.poll(() => visit.get("search-hit").first().innerText()).toContain("MPI_Allreduce");
    await visit.get("search").fill("rank 200");
    await nothing.getByRole("button", { name: "Search all ranks" }).click();
    await expect.poll(() => visit.field("ranks")).toBeNull();
    await expect.poll(() => visit.get("search-hit").first().innerText()).toContain("rank 200");
  });

  it("filters by a communicator", async () => {
    const visit = await open("small");
    await visit.drawn();
    await visit.get("search").fill("world");
    await expect.poll(() => visit.get("search-hit").first().innerText()).toContain("MPI_COMM_WORLD");
    await visit.page.keyboard.press("Enter");
    expect(await visit.changed("ranks", null)).toBe("0-3");
    expect(await visit.page.getByLabel("Only these ranks").inputValue()).toBe("0-3");
  });
});

describe("the filter of ranks", () => {
  it("shows only those ranks, and says what it cannot read", async () => {
    const visit = await open("slow");
    await visit.drawn();
    const field = visit.page.getByLabel("Only these ranks");
    await field.fill("9-3");
    await field.press("Enter");
    await expect.poll(() => visit.page.locator("#ranks-problem").innerText()).toContain("backwards");
    expect(await visit.field("ranks")).toBe(null);
    await field.fill("37, 100-101");
    await field.press("Enter");
    expect(await visit.changed("ranks", null)).toBe("37,100-101");
    expect((await visit.scene("timeline")).y.to).toBe("3");
    expect(await visit.subtitle("timeline").innerText()).toContain("37,100-101");
    await visit.page.getByRole("button", { name: "all", exact: true }).click();
    await expect.poll(() => visit.field("ranks")).toBe(null);
  });
});

describe("the legend", () => {
  it("is not the only way to a function: a share of the activity selects it, everywhere", async () => {
    const visit = await open("slow");
    // The pane that was last used has another frame.
    await visit.pane("activity").focus();
    const timeline = await visit.picture(visit.pane("timeline"));
    const point = await visit.plotPoint("activity", 0.475, 0.7);
    await visit.page.mouse.click(point.x, point.y);
    const selected = await visit.changed("select", null);
    expect(selected).toMatch(/^function:/);
    await expect.poll(() => title(visit)).toBe(selected?.replace("function:", ""));
    expect((await visit.picture(visit.pane("timeline"))).equals(timeline)).toBe(false);
    expect(await visit.field("highlight")).toBe(null);
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.field("select")).toBe(null);
    expect((await visit.picture(visit.pane("timeline"))).equals(timeline)).toBe(true);
  });

  it("names the colours that the timeline is full of, without being unfolded", async () => {
    const visit = await open("slow");
    const colours = [...(await visit.pixels(visit.pane("timeline"))).colours()].sort((a, b) => b[1] - a[1]);
    const rows = visit.page.locator('[data-testid="legend-row"]:visible .sw');
    const named = await rows.evaluateAll((all) =>
      all.map((one) => {
        const parts = getComputedStyle(one).backgroundColor.match(/\d+/g) ?? [];
        return `#${parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`;
      }),
    );
    const computing = await visit.legendRow("compute").locator(".n").innerText();
    expect(Number(computing)).toBeGreaterThan(30);
    // Beside the ground of the page, the three commonest colours are functions.
    const common = colours.map(([colour]) => colour).filter((colour) => colour !== "#ffffff");
    expect(named).toEqual(expect.arrayContaining(common.slice(0, 3)));
  });

  it("highlights with a click, hides with Alt, and Escape clears", async () => {
    const visit = await open("slow");
    const plain = await visit.picture(visit.pane("activity"));
    const row = visit.legendRow("MPI_Waitall");
    await row.click();
    expect(await visit.changed("highlight", null)).toBe("MPI_Waitall");
    expect(await row.getAttribute("aria-pressed")).toBe("true");
    const highlighted = await visit.picture(visit.pane("activity"));
    expect(highlighted.equals(plain)).toBe(false);

    await visit.legendRow("MPI_Allreduce").click({ modifiers: ["Alt"] });
    expect(await visit.changed("hide", null)).toBe("MPI_Allreduce");
    expect(await visit.field("highlight")).toBe("MPI_Waitall");
    expect((await visit.picture(visit.pane("activity"))).equals(highlighted)).toBe(false);
    const eye = visit.page.getByRole("button", { name: "Show MPI_Allreduce" });
    expect(await eye.getAttribute("aria-pressed")).toBe("true");
    await eye.click();
    await expect.poll(() => visit.field("hide")).toBe(null);

    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.field("highlight")).toBe(null);
    expect(await row.getAttribute("aria-pressed")).toBe("false");
    expect((await visit.picture(visit.pane("activity"))).equals(plain)).toBe(true);
  });

  it("has the shares of the window, not of the run", async () => {
    const visit = await open("slow");
    await visit.drawn();
    const share = async () =>
      Number(
        await visit
          .legendRow("MPI_Init")
          .locator(".n")
          .innerText()
          .then((text) => text.replace("<", "")),
      );
    await expect.poll(share).toBeLessThan(1);
    await visit.page.goto(`${visit.origin}/#v=1&trace=slow&time=0:4000`);
    await expect.poll(share).toBeGreaterThan(50);
  });
});
