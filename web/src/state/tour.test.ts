import { beforeEach, describe, expect, it, vi } from "vitest";
import { place, startHistory } from "./history";
import { closeTour, goToStop, hasWandered, moveStop, openTour, stopIndex, tour } from "./tour";
import "./views-for-tests";

const entries: string[] = [];

describe("the tour", () => {
  beforeEach(() => {
    entries.length = 0;
    vi.stubGlobal("window", {
      location: { origin: "", pathname: "/", hash: "#v=1&trace=t1&time=7:70" },
      history: {
        state: null,
        pushState: (_state: unknown, _title: string, hash: string) => entries.push(hash),
        replaceState: () => {},
      },
      addEventListener: () => {},
    });
    startHistory();
    const stop = (title: string, view: string) => ({ title, text: "", view });
    tour.value = { title: "", stops: [stop("a", "v=1&trace=t1"), stop("b", "v=1&trace=t2&time=0:50")] };
  });

  it("is closed in an address that names no stop, or one that is not there", () => {
    expect(stopIndex.value).toBeNull();
    window.location.hash = "#v=1&trace=t1&stop=3";
    startHistory();
    expect(stopIndex.value).toBeNull();
    moveStop(1);
    expect(entries).toEqual([]);
  });

  it("goes from stop to stop, each an entry of its own, and not beyond the ends", () => {
    openTour();
    moveStop(1);
    moveStop(1);
    moveStop(-1);
    moveStop(-1);
    const first = "#v=1&trace=t1&stop=1";
    expect(entries).toEqual([first, "#v=1&trace=t2&time=0:50&stop=2", first]);
    expect(place.value.time).toBeNull();
  });

  it("knows when one has moved on, and closes without a change of the view", () => {
    goToStop(1);
    expect(hasWandered.value).toBe(false);
    closeTour();
    expect(entries.at(-1)).toBe("#v=1&trace=t2&time=0:50");
    window.location.hash = "#v=1&trace=t2&time=0:60&stop=2";
    startHistory();
    expect([stopIndex.value, hasWandered.value]).toEqual([1, true]);
  });

  it("does not take a window that follows for a move", () => {
    tour.value = { title: "", stops: [{ title: "a", text: "", view: "v=1&trace=t1&layout=logical&steps=3:9" }] };
    window.location.hash = "#v=1&trace=t1&layout=logical&time=7:70&steps=3:9&stop=1";
    startHistory();
    expect(hasWandered.value).toBe(false);
    window.location.hash = "#v=1&trace=t1&layout=logical&time=7:70&steps=4:9&stop=1";
    startHistory();
    expect(hasWandered.value).toBe(true);
  });

  it("opens again where it was left, and after the end at the beginning", () => {
    goToStop(0);
    closeTour();
    openTour();
    expect(stopIndex.value).toBe(0);
    goToStop(1);
    closeTour();
    openTour();
    expect(stopIndex.value).toBe(0);
  });
});
