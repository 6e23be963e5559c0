import { beforeEach, describe, expect, it, vi } from "vitest";
import { VIEWS } from "../../../api/options";
import type { FindingTold, TraceInfo } from "../../../api/types";
import { startFollowing } from "../../../state/followed";
import { startHistory } from "../../../state/history";
import { diagnosis, diagnosisTold, findingNow, go, place, trace } from "../../../state/state";
import "../../registry";
import { inSight } from "../../registry";
import { placeOf, showDiagnosis, showFinding, showPath } from "./show";
import { TOLD } from "./told-for-tests";

const END = 638_000_000;
const [slow, card, stall] = TOLD.findings as [FindingTold, FindingTold, FindingTold];
const NOW = { ranks: "", hidden: [] };

describe("the place of a finding", () => {
  it("has its time, its ranks, and all rows, so that they can be seen", () => {
    expect(placeOf(slow, TOLD, NOW, END)).toMatchObject({
      time: [0, END],
      selected: "ranks:96-103",
      rows: null,
      ranks: "",
    });
    const { time, closer } = placeOf(stall, TOLD, NOW, END);
    expect(time).toEqual([0, END]);
    expect(closer).toEqual([500_000_000, 556_000_000]);
    // In a long run a stall would be lost.
    expect(placeOf(stall, { path: { hops: 1_000_000, parts: [] } }, NOW, END * 100).time).not.toEqual([0, END * 100]);
  });

  it("selects the call that shows it best, if one does, else its ranks, else its function", () => {
    expect(placeOf({ ...stall, select: "span:201:77" }, TOLD, NOW, END).selected).toBe("span:201:77");
    expect(placeOf({ ...slow, ranks: null }, TOLD, NOW, END).selected).toBe("function:stencil");
    expect(placeOf({ ...card, ranks: null }, TOLD, NOW, END).selected).toBeNull();
  });

  it("keeps a filter of ranks only if it lets all of them through", () => {
    for (const ranks of ["96-103", "0-", "90-110", "3,96-99,100-103"])
      expect(placeOf(slow, TOLD, { ...NOW, ranks }, END).ranks, ranks).toBe(ranks);
    for (const ranks of ["0-95", "97-200", "96-100,102-103"])
      expect(placeOf(slow, TOLD, { ...NOW, ranks }, END).ranks, ranks).toBe("");
  });

  it("shows its function again if that is hidden, and no other", () => {
    const hidden = ["stencil", "MPI_Waitall"];
    expect(placeOf(slow, TOLD, { ...NOW, hidden }, END).hidden).toEqual(["MPI_Waitall"]);
  });
});

describe("on the page", () => {
  diagnosis.start();
  beforeEach(async () => {
    vi.stubGlobal("window", {
      location: { origin: "", pathname: "/", hash: "#v=1&trace=t&layout=overview" },
      history: { state: null, pushState: () => {}, replaceState: () => {} },
      addEventListener: () => {},
    });
    vi.stubGlobal("fetch", async (path: string) => {
      if (path.includes("/analysis/diagnosis"))
        return Response.json({ state: "ready", about: { verdict: "faulty", findings: 3 } });
      return path.endsWith("/diagnosis") ? Response.json(TOLD) : new Response("{}", { status: 404 });
    });
    const info = { id: "t", views: Object.keys(VIEWS), ranks: 256, rows: 256, end_ns: String(END), regions: [] };
    trace.value = info as unknown as TraceInfo;
    startHistory();
    go({ layout: "overview", time: null, selected: null, ranks: "", options: {} }, "push");
    startFollowing();
    await vi.waitFor(() => expect(diagnosisTold.answer.value).not.toBeNull());
  });

  const press = (key: string) =>
    inSight()
      .flatMap(({ commands }) => commands?.() ?? [])
      .find((one) => one.press?.key === key);

  it("the first sentence leads to the layout Diagnosis and the dearest finding", () => {
    expect(diagnosis.isWanted.value).toBe(true);
    showDiagnosis();
    expect(place.value).toMatchObject({ layout: "diagnosis", selected: "ranks:96-103" });
    expect(findingNow.value?.number).toBe(1);
  });

  it("keys lead to findings, and to no more than there are", () => {
    go({ layout: "diagnosis" }, "push");
    press("3")?.run();
    expect(place.value).toMatchObject({ closer: [500_000_000, 556_000_000], selected: "ranks:201" });
    expect(findingNow.value?.number).toBe(3);
    press("2")?.run();
    expect(place.value).toMatchObject({ time: null, selected: "ranks:216-223" });
    expect(press("4")).toBeUndefined();
  });

  it("a key hides the path and shows it again", () => {
    go({ layout: "diagnosis" }, "push");
    press("p")?.run();
    expect(place.value.options).toEqual({ path: "off" });
    press("p")?.run();
    expect(place.value.options).toEqual({});
    // With colours of functions it is the other way round.
    go({ options: { colour: "function" } }, "push");
    press("p")?.run();
    expect(place.value.options).toEqual({ colour: "function", path: "on" });
  });

  it("the path of a finding is shown with colours of its own, in the same layout", () => {
    go({ layout: "diagnosis", options: { path: "off" } }, "push");
    const { layout } = place.value;
    showPath(slow);
    expect(place.value).toMatchObject({ layout, options: { colour: "path" }, selected: "ranks:96-103" });
  });

  it("findings of the same ranks are told apart by where one looks closely", () => {
    go({ layout: "diagnosis" }, "push");
    showFinding(stall);
    expect(findingNow.value?.number).toBe(3);
    go({ selected: null }, "push");
    expect(findingNow.value).toBeNull();
  });
});
