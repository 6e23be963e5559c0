import { beforeEach, describe, expect, it, vi } from "vitest";
import { canRedo, canUndo, go, place, shareUrl, startHistory, undo } from "./history";
import type { Options } from "./options";

/** Just enough of a browser: entries, a position, and the event of Back. */
class FakeBrowser {
  entries: { state: unknown; hash: string }[] = [{ state: null, hash: "" }];
  at = 0;
  listeners = new Map<string, () => void>();
  location = { origin: "http://127.0.0.1:1", pathname: "/", hash: "", reload: vi.fn() };
  history = {
    owner: this as FakeBrowser,
    get state() {
      return this.owner.entries[this.owner.at]?.state;
    },
    pushState: (state: unknown, _: string, hash: string) => {
      this.entries = [...this.entries.slice(0, this.at + 1), { state, hash }];
      this.move(this.at + 1);
    },
    replaceState: (state: unknown, _: string, hash: string) => {
      this.entries[this.at] = { state, hash };
      this.location.hash = hash;
    },
    back: () => {
      this.move(this.at - 1);
      this.listeners.get("popstate")?.();
    },
    forward: () => {
      this.move(this.at + 1);
      this.listeners.get("popstate")?.();
    },
  };
  addEventListener(name: string, listener: () => void) {
    this.listeners.set(name, listener);
  }
  private move(to: number) {
    this.at = to;
    this.location.hash = this.entries[to]?.hash ?? "";
  }
}

describe("history", () => {
  let browser: FakeBrowser;
  beforeEach(() => {
    vi.useFakeTimers();
    browser = new FakeBrowser();
    browser.location.hash = "#token=secret&v=1&trace=t1";
    vi.stubGlobal("window", browser);
    expect(startHistory()).toBe("secret");
  });

  it("takes the token out of the address and keeps the rest", () => {
    expect(browser.location.hash).toBe("#v=1&trace=t1");
    expect(shareUrl()).toBe("http://127.0.0.1:1/#v=1&trace=t1");
    expect(canUndo.value).toBe(false);
  });

  it("makes one entry of many live changes once it is quiet", () => {
    for (let i = 1; i <= 50; i += 1) go({ time: [i * 10, i * 10 + 1000] }, "live");
    expect(browser.entries).toHaveLength(1);
    vi.advanceTimersByTime(600);
    expect(browser.entries).toHaveLength(2);
    undo();
    expect(place.value.time).toBeNull();
    expect(canRedo.value).toBe(true);
  });

  it("writes waiting changes before an entry of another kind, and before undo", () => {
    go({ time: [0, 500] }, "live");
    go({ selected: "span:1:2" }, "push");
    expect(browser.entries.map((entry) => entry.hash)).toEqual([
      "#v=1&trace=t1",
      "#v=1&trace=t1&time=0:500",
      "#v=1&trace=t1&time=0:500&select=span:1:2",
    ]);
    go({ time: [0, 900] }, "live");
    undo();
    expect(place.value.time).toEqual([0, 500]);
  });

  it("does not make entries of changes that change nothing", () => {
    go({ selected: null }, "push");
    expect(browser.entries).toHaveLength(1);
  });

  it("forgets the window of rows with another order or folding, and with other clusters if these decide rows", () => {
    const rowsAfter = (options: Options) => {
      go({ rows: [4, 8] }, "push");
      go({ options }, "push");
      return place.value.rows;
    };
    expect(rowsAfter({ seed: 7, open: "3" })).toEqual([4, 8]);
    expect(rowsAfter({ order: "node" })).toBeNull();
    expect(rowsAfter({ fold: "cluster" })).toBeNull();
    expect(rowsAfter({ fold: "cluster", palette: "sequential" })).toEqual([4, 8]);
    expect(rowsAfter({ fold: "cluster", open: "3" })).toBeNull();
    expect(rowsAfter({ fold: "cluster", open: "3", seed: 7 })).toBeNull();
  });

  it("forgets the window of rows with another filter", () => {
    go({ rows: [4, 8], columns: [2, 9] }, "push");
    go({ ranks: "0-3" }, "push");
    expect([place.value.rows, place.value.columns]).toEqual([null, null]);
  });
});
