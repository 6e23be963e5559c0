/** Logical time: steps and time that follow each other, metrics, phases, causes, options, and what is said without steps. */
import { afterAll, describe, expect, it } from "vitest";
import type { AnalysisState, Cause, LogicalAbout, Phases, StepsTime, Target, TraceInfo } from "../src/api/types";
import { barriers } from "./harness/axe";
import { Heddle } from "./harness/heddle";
import { open, type Visit } from "./harness/visit";

const LAYOUT = "layout=logical";

const heddle = new Heddle();
afterAll(() => heddle.end());

async function ready(visit: Visit, options = ""): Promise<LogicalAbout> {
  await visit.drawn();
  const answer = await visit.api<AnalysisState<"logical">>(`traces/slow/analysis/logical?${options}`);
  if (answer.state !== "ready") throw new Error(`logical time is ${answer.state}`);
  return answer.about;
}

/** A call that is late: the longest wait of all. */
async function late(visit: Visit): Promise<Target> {
  const { regions } = await visit.api<TraceInfo>("traces/slow");
  const region = regions.find((one) => one.name === "MPI_Allreduce")?.id;
  return visit.api<Target>(`traces/slow/find?region=${region}&after=0&direction=longest`);
}

/** Waits until both windows are in the address and one is what the server says of the other. */
async function follows(visit: Visit, by: "time" | "steps"): Promise<void> {
  await expect
    .poll(async () => {
      const said = await visit.field(by);
      if (said === null) return "not in the address";
      const link = await visit.api<StepsTime>(`traces/slow/steps?${by}=${said}`);
      const [time, steps] = [await visit.window("time"), await visit.window("steps")];
      if (by === "time") return steps !== null && near(steps, link.steps, 0.002) ? "follows" : `${steps} ${link.steps}`;
      return time !== null && near(time, link.time.map(Number), 2) ? "follows" : `${time} ${link.time}`;
    })
    .toBe("follows");
}

function near(a: number[], b: number[], by: number): boolean {
  return a.every((one, i) => Math.abs(one - (b[i] ?? Number.NaN)) <= by);
}

describe("the first layout", () => {
  it("is logical time for few ranks, and says where the others are", async () => {
    const visit = await open("small", { at: "" });
    await expect.poll(() => visit.field("layout")).toBe("logical");
    await visit.drawn();
    for (const view of ["logical", "timeline", "metric"]) expect(await visit.pane(view).count()).toBe(1);
    expect(await visit.get("first-layout").innerText()).toContain("4 ranks");
    await visit.page.getByRole("button", { name: "Don't show again" }).click();
    expect(await visit.get("first-layout").count()).toBe(0);
    await visit.page.goto(`${visit.origin}/#v=1&trace=small`);
    await visit.page.reload();
    await visit.drawn();
    expect(await visit.field("layout")).toBe("logical");
    expect(await visit.get("first-layout").count()).toBe(0);
  });

  it("is the overview for many", async () => {
    const visit = await open("slow", { at: "" });
    await expect.poll(() => visit.field("layout")).toBe("overview");
    await expect.poll(() => visit.get("first-layout").innerText()).toContain("Logical time");
    await visit.page.getByRole("button", { name: "Logical time", exact: true }).click();
    await visit.drawn();
    expect(await visit.pane("logical").count()).toBe(1);
    expect(await visit.get("first-layout").count()).toBe(0);
  });

  it("is what the address says, if it says one", async () => {
    const visit = await open("small", { at: "layout=timeline" });
    await visit.drawn();
    expect(await visit.pane("logical").count()).toBe(0);
    expect(await visit.get("first-layout").count()).toBe(0);
  });
});

describe("time and steps", () => {
  it("follow each other, whichever is moved", async () => {
    const visit = await open("slow", { at: LAYOUT });
    const { steps } = await ready(visit);
    expect(await visit.subtitle("logical").innerText()).toContain(`steps 0–${steps - 1}`);

    await visit.wheel(await visit.plotPoint("logical", 0.3, 0.5), -600);
    await visit.changed("steps", null);
    await follows(visit, "steps");
    const zoomed = await visit.field("time");
    expect(await visit.subtitle("timeline").innerText()).toContain("follows steps");

    const from = await visit.plotPoint("logical", 0.6, 0.5);
    await visit.drag(from, { x: from.x - 150, y: from.y });
    await visit.changed("time", zoomed);
    await follows(visit, "steps");

    const before = await visit.field("steps");
    const [low = 0] = (await visit.window("time")) ?? [];
    const at = await visit.plotPoint("timeline", 0.4, 0.5);
    await visit.drag(at, { x: at.x - 200, y: at.y });
    await visit.changed("steps", before);
    await follows(visit, "time");
    expect((await visit.window("time"))?.[0]).toBeGreaterThan(low);

    // The picture is of the window that the address says.
    const { x } = await visit.scene("logical");
    expect(near([Number(x.from), Number(x.to)], (await visit.window("steps")) ?? [], 0.01)).toBe(true);
    const point = await visit.plotPoint("logical", 0.5, 0.5);
    await visit.page.mouse.dblclick(point.x, point.y);
    await expect.poll(() => visit.field("steps")).toBe(null);
    expect(await visit.field("time")).toBe(null);
  });

  it("move with the keys of the pane that was used last, and Back goes back", async () => {
    const visit = await open("slow", { at: `${LAYOUT}&steps=10:30` });
    await ready(visit);
    await follows(visit, "steps");
    await visit.pane("logical").focus();
    await visit.page.keyboard.press("d");
    await expect.poll(() => visit.field("steps")).toBe("12:32");
    await visit.page.keyboard.press("w");
    await expect.poll(() => visit.field("steps")).toBe("14:30");
    await follows(visit, "steps");
    await visit.page.keyboard.press("Control+z");
    await expect.poll(() => visit.field("steps")).toBe("12:32");
    await follows(visit, "steps");
  });

  it("are found again from a link that says only one of them, and from another layout", async () => {
    const visit = await open("slow", { at: "layout=overview&time=2000000:9000000" });
    await visit.drawn();
    await visit.page.getByRole("button", { name: "Logical time", exact: true }).click();
    await visit.changed("steps", null);
    await follows(visit, "time");
    expect(await visit.field("time")).toBe("2000000:9000000");
  });

  it("are chosen with a brush over the sums of all steps, by hand and by keys", async () => {
    const visit = await open("slow", { at: LAYOUT });
    const { steps: total } = await ready(visit);
    await visit.drag(await visit.plotPoint("metric", 0.25, 0.5), await visit.plotPoint("metric", 0.5, 0.5));
    await visit.changed("steps", null);
    const drawn = (await visit.window("steps")) ?? [0, 0];
    expect(near(drawn, [total / 4, total / 2], total / 50)).toBe(true);
    await follows(visit, "steps");
    await visit.drag(await visit.plotPoint("metric", 0.4, 0.5), await visit.plotPoint("metric", 0.6, 0.5));
    await visit.changed("steps", drawn.join(":"));
    const [from, to] = (await visit.window("steps")) ?? [0, 0];
    expect(to - from).toBeCloseTo(drawn[1] - drawn[0], 1);
    expect(from).toBeGreaterThan(drawn[0]);
    await visit.page.getByRole("slider", { name: "Step window ends" }).press("Shift+ArrowRight");
    await expect.poll(async () => (await visit.window("steps"))?.[1] ?? 0).toBeGreaterThan(to);
    await follows(visit, "steps");
  });
});

describe("a metric", () => {
  it("is chosen with its palette, range and reference, and is part of the link", async () => {
    const visit = await open("slow", { at: `${LAYOUT}&steps=0:24` });
    const { metrics } = await ready(visit);
    expect(metrics.map(({ name }) => name)).toContain("differential");
    const pane = visit.pane("logical");
    const pictures = [await visit.picture(pane)];
    const different = async () => {
      const picture = await visit.picture(pane);
      expect(pictures.some((one) => one.equals(picture))).toBe(false);
      pictures.push(picture);
    };
    const numbers = () => visit.get("metric-key").innerText();
    const largest = await numbers();

    await visit.page.getByLabel("Upper end of the colours").fill("300");
    await visit.changed("range", null);
    await expect.poll(numbers).not.toBe(largest);
    await different();
    await visit.page.getByRole("button", { name: "fit to run" }).click();
    await expect.poll(() => visit.field("range")).toBe(null);
    const upper = visit.page.getByLabel("Upper end, as a number");
    await upper.fill("nonsense");
    await upper.press("Enter");
    await expect.poll(() => visit.page.locator("#upper-problem").innerText()).toContain("Write a value");
    await upper.fill("20 us");
    await upper.press("Enter");
    await expect.poll(() => visit.field("range")).toBe("0:20000");

    await visit.page.getByLabel("Relative to").selectOption("step");
    await expect.poll(() => visit.field("relative")).toBe("1");
    await different();
    await visit.page.getByLabel("Palette").selectOption("sequential");
    await expect.poll(() => visit.field("palette")).toBe("sequential");
    await different();
    await visit.page.getByLabel("Aggregates").uncheck();
    await expect.poll(() => visit.field("aggregates")).toBe("0");
    await different();

    await visit.page.getByRole("combobox", { name: "Metric", exact: true }).selectOption("duration");
    await expect.poll(() => visit.field("metric")).toBe("duration");
    // The ends of another metric's colours mean nothing for this one.
    expect(await visit.field("range")).toBe(null);
    await different();
    expect(await visit.subtitle("metric").innerText()).toContain("Duration");
    const last = pictures.at(-1);
    await visit.page.reload();
    expect((await visit.picture(pane)).equals(last ?? Buffer.of())).toBe(true);
  });

  it("colours the physical timeline, or lets functions or phases do it", async () => {
    const visit = await open("slow", { at: `${LAYOUT}&steps=0:24` });
    await ready(visit);
    const pane = visit.pane("timeline");
    const metric = await visit.picture(pane);
    const choice = visit.page.getByLabel("Colour", { exact: true });
    expect(await choice.inputValue()).toBe("metric");
    await choice.selectOption("function");
    await expect.poll(() => visit.field("colour")).toBe("function");
    const functions = await visit.picture(pane);
    expect(functions.equals(metric)).toBe(false);
    await visit.page.getByLabel("Colour by phase").check();
    await expect.poll(() => visit.field("colour")).toBe("phase");
    expect((await visit.picture(pane)).equals(functions)).toBe(false);
    await visit.page.getByLabel("Colour by phase").uncheck();
    expect((await visit.picture(pane)).equals(metric)).toBe(true);
  });
});

describe("phases", () => {
  it("of long runs take a line each, with as many whole ones in sight as there is room for", async () => {
    const store = await heddle.simulate("long", ["--ranks", "256"], "heddle", "scalapack");
    const visit = await open(await heddle.serve(["open", store]));
    await visit.page.goto(`${visit.origin}/#v=1&trace=long&layout=logical`);
    await visit.drawn();
    const rows = visit.get("phase");
    await expect.poll(() => rows.count()).toBeGreaterThan(8);
    const heights = await rows.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBe(Math.min(...heights));
  });

  it("are sorted as one likes, and lead to their steps", async () => {
    const visit = await open("slow", { at: LAYOUT });
    await ready(visit);
    const first = async (sort: string) =>
      (await visit.api<Phases>(`traces/slow/phases?sort=${sort}&from=0&count=3`)).phases[0];
    const shown = visit.get("phase").first();
    for (const sort of ["total", "first", "lateness"]) {
      await visit.page.getByLabel("Order of phases").selectOption(sort);
      await expect.poll(() => shown.getAttribute("data-phase")).toBe(String((await first(sort))?.phase));
    }
    const latest = await first("lateness");
    if (!latest) throw new Error("there are no phases");
    await shown.click();
    await visit.changed("steps", null);
    expect(await visit.field("select")).toBe(`phase:${latest.phase}`);
    const [from, to] = (await visit.window("steps")) ?? [0, 0];
    expect(from).toBeLessThanOrEqual(latest.first_step);
    expect(to).toBeGreaterThan(latest.last_step);
    expect(await shown.getAttribute("aria-pressed")).toBe("true");
    await expect.poll(() => visit.get("details").innerText()).toContain("256 of 256");
    await follows(visit, "steps");
  });

  it("and steps are found by their numbers", async () => {
    const visit = await open("slow", { at: LAYOUT });
    await ready(visit);
    const search = visit.get("search");
    await search.fill("step 30");
    await search.press("Enter");
    await visit.changed("steps", null);
    const [from, to] = (await visit.window("steps")) ?? [0, 0];
    expect(from <= 30 && to >= 31).toBe(true);
    await search.fill("phase 2");
    await search.press("Enter");
    await expect.poll(() => visit.field("select")).toBe("phase:2");
  });
});

describe("a late call", () => {
  it("says where its lateness arose, shows the path, and leads there", async () => {
    const visit = await open("slow", { at: LAYOUT });
    await ready(visit);
    const target = await late(visit);
    await visit.page.goto(`${visit.origin}/#v=1&trace=slow&${LAYOUT}&select=${target.select}`);
    const cause = await visit.api<Cause>(`traces/slow/cause?select=${target.select}`);
    const { origin } = cause;
    if (!origin) throw new Error(`it is not late: ${cause.text.map(({ text }) => text).join("")}`);
    const words = async () => (await visit.get("cause-text").innerText()).toLowerCase();
    const said = cause.text.map(({ text }) => text).join("");
    await expect.poll(words).toBe(said.toLowerCase());
    // The slow rank of the simulation.
    expect(said).toContain("rank 37");
    for (const label of ["Step", "Phase", "Lateness"]) await expect.poll(() => visit.fact(label).count()).toBe(1);
    // Its path is drawn at once, and can be hidden.
    const before = await visit.picture(visit.pane("logical"));
    await visit.page.getByRole("button", { name: "Hide the cause" }).click();
    await expect.poll(() => visit.field("cause")).toBe("0");
    expect((await visit.picture(visit.pane("logical"))).equals(before)).toBe(false);
    await visit.page.getByRole("button", { name: "Show the cause" }).click();
    await expect.poll(() => visit.field("cause")).toBe(null);
    await visit.page.getByRole("button", { name: /^Go to step/ }).click();
    await expect.poll(() => visit.field("select")).toBe(origin.select);
    const [from, to] = (await visit.window("steps")) ?? [0, 0];
    expect(from <= origin.step && to >= origin.step + 1).toBe(true);
    await follows(visit, "steps");
    await expect.poll(() => visit.fact("Step").innerText()).toBe(String(origin.step));
    const phase = visit.fact("Phase").getByRole("button");
    const number = await phase.innerText();
    await phase.click();
    await expect.poll(() => visit.field("select")).toBe(`phase:${number.replaceAll(",", "")}`);
  });
});

describe("the options of logical time", () => {
  it("make other phases of the same time, and are part of the link", async () => {
    const visit = await open("slow", { at: `${LAYOUT}&time=2000000:9000000` });
    const usual = await ready(visit);
    await visit.changed("steps", null);
    await visit.get("options").click();
    await visit.page.getByLabel("MPI_Isend in a row, one event").uncheck();
    await expect.poll(() => visit.field("coalesce-isends")).toBe("0");
    const other = await ready(visit, "coalesce-isends=0");
    expect(other.events).not.toBe(usual.events);
    const facts = () => visit.get("logical-facts").innerText();
    await expect.poll(facts).toContain(`${Number(other.events).toLocaleString("en-US")} events`);
    expect(await visit.field("time")).toBe("2000000:9000000");
    await visit.page.reload();
    await expect.poll(facts).toContain(`${Number(other.events).toLocaleString("en-US")} events`);
    await visit.get("logical-options").getByRole("button", { name: "reset" }).click();
    await expect.poll(facts).toContain(`${Number(usual.events).toLocaleString("en-US")} events`);
  });
});

describe("without steps", () => {
  it("a pane says how far they are, can be cancelled, and begins again", async () => {
    const visit = await open("small", { at: "layout=overview" });
    await visit.drawn();
    let isBuilding = true;
    let wasCancelled = false;
    await visit.page.route(/\/analysis\/logical(\?|$)/, (route) =>
      isBuilding ? route.fulfill({ json: { state: "building", stage: "Merging", done: 0.4 } }) : route.continue(),
    );
    await visit.page.route(/\/analysis\/logical\/cancel/, (route) => {
      wasCancelled = true;
      return route.fulfill({ json: null });
    });
    await visit.page.getByRole("button", { name: "Logical time", exact: true }).click();
    const notice = visit.get("step-notice").first();
    await expect.poll(() => notice.innerText()).toContain("Merging, 40 %");
    // The rest of the page goes on.
    await expect.poll(() => visit.pane("timeline").getAttribute("data-busy")).toBe("false");
    await visit.page.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => notice.innerText()).toContain("cancelled");
    expect(wasCancelled).toBe(true);
    isBuilding = false;
    await visit.page.getByRole("button", { name: "Compute it" }).click();
    await visit.drawn();
    expect(await visit.get("step-notice").count()).toBe(0);
    expect(await visit.subtitle("logical").innerText()).toMatch(/steps \d+–\d+/);
  });

  it("a pane says why there are none, or what went wrong", async () => {
    const visit = await open("small", { at: "layout=overview" });
    await visit.drawn();
    let answer: object = { state: "failed", error: "The disk is full." };
    await visit.page.route(/\/analysis\/logical(\?|$)/, (route) => route.fulfill({ json: answer }));
    await visit.page.getByRole("button", { name: "Logical time", exact: true }).click();
    const notice = visit.get("step-notice").first();
    await expect.poll(() => notice.innerText()).toContain("The disk is full.");
    answer = { state: "none", why: "None of its calls talks to another." };
    await visit.page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => notice.innerText()).toContain("None of its calls talks to another.");
    await visit.page.getByRole("button", { name: "Show the overview" }).click();
    await expect.poll(() => visit.field("layout")).toBe("overview");
    await visit.drawn();
  });
});

describe("the layout of logical time", () => {
  for (const theme of ["light", "dark"] as const) {
    it(`has no barrier that axe finds, ${theme}`, async () => {
      const visit = await open("slow", { theme, at: `${LAYOUT}&steps=10:30&select=phase:2` });
      await ready(visit);
      const target = await late(visit);
      await visit.page.goto(`${visit.origin}/#v=1&trace=slow&${LAYOUT}&steps=10:30&select=${target.select}`);
      await expect.poll(() => visit.get("cause-text").count()).toBe(1);
      await visit.get("options").click();
      await visit.drawn();
      expect(await barriers(visit)).toEqual([]);
    });
  }

  it("shows 16,384 ranks too", async () => {
    const visit = await open("large", { at: LAYOUT });
    await visit.drawn();
    expect(await visit.subtitle("logical").innerText()).toContain("16,383");
    expect(await visit.get("phase").count()).toBeGreaterThan(0);
  });
});
