/** The call view: styles, opacity without requests, picking, highlighting, brushing, filters, words. */
import { describe, expect, it } from "vitest";
import type { Brushed, Details, Finding, Findings, Target, TraceInfo } from "../src/api/types";
import { barriers } from "./harness/axe";
import { open, type Point, type Visit } from "./harness/visit";

const LAYOUT = "layout=1c(250activity,750calls)";

/** All questions that the page asked about pictures so far. */
function requests(visit: Visit): string[] {
  const asked: string[] = [];
  visit.page.on("request", (request) => {
    if (request.url().includes("/api/")) asked.push(request.url());
  });
  return asked;
}

async function longest(visit: Visit, name: string): Promise<Target> {
  const { regions } = await visit.api<TraceInfo>("traces/matrix");
  const region = regions.find((one) => one.name === name)?.id;
  return visit.api<Target>(`traces/matrix/find?region=${region}&after=0&direction=longest`);
}

/** Where the point of a call lies, drawn at its end. */
async function pointOf(visit: Visit, target: Target): Promise<Point> {
  const { x } = await visit.pointAt("calls", Number(target.end_ns));
  const { y } = await visit.scene("calls");
  if (y.scale?.spacing !== "log") throw new Error("the axis does not say its scale");
  const { upper, lower, top, bottom } = y.scale;
  const duration = Number(target.end_ns) - Number(target.start_ns);
  const share = Math.log(duration / lower) / Math.log(upper / lower);
  const box = await visit.box(visit.pane("calls"));
  return { x, y: box.y + bottom - share * (bottom - top) };
}

/** How many calls there are; long numbers are shortened, and whole in the tooltip. */
const shown = async (visit: Visit) =>
  Number(((await visit.get("calls-count").getAttribute("title")) ?? "").replace(/\D/g, ""));

describe("calls", () => {
  it("are drawn in four styles, which are part of the link", async () => {
    const visit = await open("matrix", { at: LAYOUT });
    const words = () => expect.poll(() => visit.get("finding").count()).toBeGreaterThan(0);
    await words();
    const pictures = [await visit.picture(visit.pane("calls"))];
    for (const [name, style] of [
      ["Points, start", "points-start"],
      ["Lines", "lines"],
      ["Arches", "arches"],
    ] as const) {
      await visit.page.getByRole("button", { name, exact: true }).click();
      await expect.poll(() => visit.field("style")).toBe(style);
      const picture = await visit.picture(visit.pane("calls"));
      expect(pictures.some((one) => one.equals(picture))).toBe(false);
      pictures.push(picture);
    }
    await visit.page.getByLabel("Height").selectOption("rank");
    await expect.poll(() => visit.field("y")).toBe("rank");
    const rank = await visit.picture(visit.pane("calls"));
    await visit.page.reload();
    await words();
    expect((await visit.picture(visit.pane("calls"))).equals(rank)).toBe(true);
  });

  it("change their opacity without a request", async () => {
    const visit = await open("matrix", { at: LAYOUT });
    // The numbers of sentences stand in the picture too.
    await expect.poll(() => visit.get("finding").count()).toBeGreaterThan(0);
    const before = await visit.picture(visit.pane("calls"));
    const asked = requests(visit);
    await visit.page.getByLabel("Opacity of a single call").fill("0.9");
    const strong = await visit.picture(visit.pane("calls"));
    expect(strong.equals(before)).toBe(false);
    await expect.poll(() => visit.field("omin")).toBe("0.9");
    for (const map of ["linear", "alpha"]) {
      await visit.page.getByLabel("Opacity", { exact: true }).selectOption(map);
      await expect.poll(() => visit.field("opacity")).toBe(map);
      expect((await visit.picture(visit.pane("calls"))).equals(strong)).toBe(false);
    }
    await visit.page.getByLabel("Opacity", { exact: true }).selectOption("log");
    await visit.page.getByLabel("Opacity of a single call").fill("0.4");
    expect((await visit.picture(visit.pane("calls"))).equals(before)).toBe(true);
    expect(asked).toEqual([]);
  });

  it("are picked with a click, and say what they are", async () => {
    const visit = await open("matrix", { at: LAYOUT });
    const target = await longest(visit, "MPI_Reduce");
    await expect.poll(() => visit.get("finding").count()).toBeGreaterThan(0);
    const before = await visit.picture(visit.pane("calls"));
    const point = await pointOf(visit, target);
    await visit.page.mouse.click(point.x, point.y);
    const name = (await visit.changed("select", null)) ?? "";
    const details = await visit.api<Details>(`traces/matrix/details?select=${name}`);
    expect(details.title).toBe("MPI_Reduce");
    await expect.poll(() => visit.page.locator(".selected-title").innerText()).toBe("MPI_Reduce");
    expect(await visit.fact("Duration").innerText()).toBe(details.facts.find((one) => one.label === "Duration")?.text);
    expect((await visit.picture(visit.pane("calls"))).equals(before)).toBe(false);
  });

  it("stand out by their function from the legend", async () => {
    const visit = await open("matrix", { at: LAYOUT });
    await expect.poll(() => visit.get("finding").count()).toBeGreaterThan(0);
    const before = await visit.picture(visit.pane("calls"));
    await visit.legendRow("MPI_Bcast").click();
    await visit.changed("highlight", null);
    expect((await visit.picture(visit.pane("calls"))).equals(before)).toBe(false);
  });

  it("are coloured by what called them, with a key that says who", async () => {
    const visit = await open("matrix", { at: LAYOUT });
    await expect.poll(() => visit.get("finding").count()).toBeGreaterThan(0);
    const before = await visit.picture(visit.pane("calls"));
    const all = await shown(visit);
    await visit.page.getByLabel("Colour of calls").selectOption("caller");
    await expect.poll(() => visit.field("colour")).toBe("caller");
    await expect.poll(() => visit.get("caller-row").count()).toBeGreaterThan(0);
    expect((await visit.picture(visit.pane("calls"))).equals(before)).toBe(false);
    expect(await shown(visit)).toBe(all);
    // A timeline has no such colours, and none of its own are lost.
    await visit.page.getByLabel("Colour of calls").selectOption("function");
    await expect.poll(() => visit.field("colour")).toBe(null);
    await expect.poll(() => visit.get("caller-row").count()).toBe(0);
    expect((await visit.picture(visit.pane("calls"))).equals(before)).toBe(true);
  });

  it("leave their pane's buttons in their pane", async () => {
    for (const options of ["", "&opacity=linear&scale=linear", "&opacity=alpha&colour=caller&y=bytes"]) {
      const visit = await open("matrix", { at: `layout=calls${options}` });
      await visit.drawn();
      const heads = await visit.page.locator(".head:has(.styles)").evaluateAll((all) =>
        all.map((head) => {
          const { right } = head.getBoundingClientRect();
          return [...head.querySelectorAll("button, select")].every(
            (one) => one.getBoundingClientRect().right <= right,
          );
        }),
      );
      expect(heads, options).toEqual([true]);
    }
  });

  it("are left out by ranks, durations and communicator", async () => {
    const visit = await open("matrix", { at: LAYOUT });
    await visit.drawn();
    const all = await shown(visit);
    const ranks = visit.page.getByLabel("Only these ranks");
    await ranks.fill("0-15");
    await ranks.press("Enter");
    await expect.poll(() => shown(visit)).toBeLessThan(all);
    const some = await shown(visit);
    const durations = visit.page.getByLabel("Only calls of this duration");
    await durations.fill("5 ms");
    await durations.press("Enter");
    await expect.poll(() => visit.page.locator("#duration-problem").innerText()).toContain("range");
    await durations.fill("1 ms -");
    await durations.press("Enter");
    await expect.poll(() => visit.field("durations")).toMatch(/^1000000:/);
    await expect.poll(() => shown(visit)).toBeLessThan(some);
    const long = await shown(visit);
    await visit.page.getByLabel("Only calls in this communicator").selectOption({ index: 2 });
    await visit.changed("communicator", null);
    await expect.poll(() => shown(visit)).toBeLessThan(long);
  });
});

describe("a brushed rectangle", () => {
  it("is read as a table, leads to calls and ranks, and is part of the link", async () => {
    const visit = await open("matrix", { at: LAYOUT });
    const target = await longest(visit, "MPI_Reduce");
    const { x, y } = await pointOf(visit, target);
    await visit.page.keyboard.down("Alt");
    await visit.drag({ x: x - 40, y: y - 30 }, { x: x + 20, y: y + 40 });
    await visit.page.keyboard.up("Alt");
    const rect = (await visit.changed("select", null)) ?? "";
    expect(rect).toMatch(/^window:\d+:\d+:\d+:\d+$/);
    const brushed = await visit.api<Brushed>(`traces/matrix/brush?width=16&height=16&select=${rect}`);
    expect(Number(brushed.calls)).toBeGreaterThan(0);
    const count = () => visit.get("brushed-calls").innerText();
    await expect.poll(count).toBe(Number(brushed.calls).toLocaleString("en-US"));
    expect(await visit.get("brushed-functions").innerText()).toContain("Reduce");
    expect(await visit.get("slow-call").count()).toBe(brushed.slowest.length);
    await visit.page.reload();
    await expect.poll(count).toBe(Number(brushed.calls).toLocaleString("en-US"));
    // A call of the table is selected; the table stays, and Escape leads back to the rectangle.
    await visit.get("slow-call").first().click();
    expect(await visit.changed("select", rect)).toBe(brushed.slowest[0]?.select);
    await expect.poll(() => visit.page.locator(".selected-title").count()).toBe(1);
    expect(await visit.get("brushed").count()).toBe(1);
    // As it does in a page that is loaded again.
    await visit.page.reload();
    await visit.drawn();
    await expect.poll(() => visit.get("brushed").count()).toBe(1);
    expect(await visit.field("select")).toBe(brushed.slowest[0]?.select);
    await visit.page.keyboard.press("Escape");
    await expect.poll(() => visit.field("select")).toBe(rect);
    await visit.get("brushed").getByRole("button", { name: "Only these ranks" }).click();
    expect(await visit.changed("ranks", null)).toBe(brushed.ranks_filter);
    await visit.get("brushed").getByRole("button", { name: "clear" }).click();
    await expect.poll(() => visit.field("select")).toBe(null);
    expect(await visit.get("brushed").count()).toBe(0);
  });

  it("opens from a link of an older version", async () => {
    const visit = await open("matrix", { at: `${LAYOUT}&brush=0:9000000:0:9000000` });
    await expect.poll(() => visit.field("select")).toBe("window:0:9000000:0:9000000");
    expect(await visit.field("brush")).toBe(null);
    await expect.poll(() => visit.get("brushed").count()).toBe(1);
  });

  it("is drawn by any drag once the tool is chosen", async () => {
    const visit = await open("matrix", { at: LAYOUT });
    await visit.drawn();
    const [a, b] = [await visit.plotPoint("calls", 0.2, 0.3), await visit.plotPoint("calls", 0.8, 0.9)];
    await visit.get("brush-tool").click();
    await visit.drag(a, b);
    expect(await visit.changed("select", null)).toMatch(/^window:/);
    expect(await visit.field("time")).toBe(null);
    await expect.poll(() => visit.get("brushed").innerText()).toContain("all");
  });
});

describe("what stands out", () => {
  it("is said in words that lead there, and stages zoom", async () => {
    const visit = await open("matrix", { at: LAYOUT });
    const { findings, stages } = await visit.api<Findings>("traces/matrix/findings");
    await expect.poll(() => visit.get("finding").count()).toBe(Math.min(findings.length, 3));
    expect(findings.length).toBeGreaterThan(0);
    expect(await visit.get("finding").first().innerText()).toBe(findings[0]?.text.map(({ text }) => text).join(""));
    await visit.get("finding").first().click();
    await visit.changed("highlight", null);
    expect(await visit.window("time")).not.toBe(null);
    // Until the whole run is spoken of again, the stages are those of the window.
    const again = visit.page.waitForResponse(/\/findings\?time=0(:|%3A)/);
    await visit.page.keyboard.press("Control+z");
    await again;
    await expect.poll(() => visit.get("stage").count()).toBe(stages.length);
    await visit.get("stage").nth(1).click();
    expect(await visit.changed("time", null)).toBe(`${stages[1]?.start_ns}:${stages[1]?.end_ns}`);
  });
});

describe("the layout of calls", () => {
  for (const theme of ["light", "dark"] as const) {
    it(`has no barrier that axe finds, ${theme}`, async () => {
      const visit = await open("matrix", { theme, at: "layout=calls&highlight=MPI_Reduce" });
      await visit.drawn();
      await expect.poll(() => visit.get("finding").count()).toBeGreaterThan(0);
      expect(await visit.pane("calls-arches").count()).toBe(1);
      expect(await barriers(visit)).toEqual([]);
    });

    it(`has none beside a brushed rectangle, ${theme}`, async () => {
      const visit = await open("matrix", { theme });
      const { end_ns } = await visit.api<TraceInfo>("traces/matrix");
      await visit.page.goto(`${visit.origin}/#v=1&trace=matrix&layout=calls&select=window:0:${end_ns}:0:9000000000`);
      await expect.poll(() => visit.get("slow-call").count()).toBeGreaterThan(0);
      expect(await barriers(visit)).toEqual([]);
    });
  }

  /** The windows of time in which closer panes were asked for, in order, each once. */
  function closerWindows(visit: Visit): string[] {
    const asked: string[] = [];
    visit.page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      const time = searchParams.get("time");
      const isCloser = pathname.endsWith("/scene/calls") && searchParams.get("style") === "arches";
      if (isCloser && time !== null && asked.at(-1) !== time) asked.push(time);
    });
    return asked;
  }

  it("draws closer panes when it knows what stands out, and only there", async () => {
    const visit = await open("matrix", { at: "layout=calls" });
    await visit.drawn();
    const asked = closerWindows(visit);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await visit.page.route("**/findings?*", async (route) => {
      await held;
      await route.continue();
    });
    const withFindings = visit.page.waitForRequest(/\/findings\?/);
    await visit.page.reload();
    await withFindings;
    await expect.poll(() => visit.pane("calls").getAttribute("data-busy")).toBe("false");
    expect(await visit.pane("calls-arches").getAttribute("data-busy")).toBe("true");
    expect(asked).toEqual([]);
    release();
    await visit.drawn();
    expect(asked).toHaveLength(1);
  });

  it("shows the whole of what stands out, however long it is", async () => {
    const visit = await open("matrix", { at: "layout=timeline" });
    const { findings } = await visit.api<Findings>("traces/matrix/findings");
    const [from, to] = findings.flatMap(({ window }) => (window ? [window] : []))[0] ?? ["0", "0"];
    const time = `${Number(from)}:${Number(to)}`;
    const inside = await visit.api<Findings>(`traces/matrix/findings?time=${time}`);
    // Nothing that stands out in this window is short.
    const half = (Number(to) - Number(from)) / 2;
    for (const { window } of inside.findings)
      if (window) expect(Number(window[1]) - Number(window[0])).toBeGreaterThan(half * 0.7);
    const asked = closerWindows(visit);
    await visit.page.goto(`${visit.origin}/#v=1&trace=matrix&layout=calls&time=${time}`);
    await visit.drawn();
    const [first = 0, last = 0] = asked.at(-1)?.split(":").map(Number) ?? [];
    expect(first).toBeGreaterThanOrEqual(Number(from));
    expect(last).toBeLessThanOrEqual(Number(to));
    expect(last - first).toBeGreaterThan(half);
  });

  it("shows all of a run with few calls closer, if nothing that is whole stands out in it", async () => {
    const visit = await open("small", { at: "layout=overview" });
    await visit.drawn();
    const { end_ns } = await visit.api<TraceInfo>("traces/small");
    const half = Math.round(Number(end_ns) / 2);
    // Most of it lies behind the window.
    const window: Finding["window"] = [`${half - 2000}`, end_ns];
    const found: Finding = { kind: "made up", text: [{ text: "Something long." }], lost: 0.1, window, region: null };
    await visit.page.route("**/findings?*", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), findings: [found] } });
    });
    const asked = closerWindows(visit);
    await visit.page.goto(`${visit.origin}/#v=1&trace=small&layout=calls&time=0:${half}`);
    await visit.page.reload();
    await visit.drawn();
    expect(asked.at(-1)).toBe(`0:${half}`);
  });

  it("lets closer panes move by themselves", async () => {
    const visit = await open("matrix", { at: "layout=calls" });
    await visit.drawn();
    const box = await visit.box(visit.pane("calls-lines"));
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await visit.wheel(middle, -300);
    await visit.changed("closer", null);
    expect(await visit.field("time")).toBe(null);
  });
});
