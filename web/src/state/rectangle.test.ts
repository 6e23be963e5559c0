import { beforeEach, expect, it, vi } from "vitest";
import { go, place, startHistory } from "./history";
import { decodePlace, encodePlace } from "./place";
import { clearRectangle, rectangle } from "./rectangle";
import { clear } from "./select";
import "./views-for-tests";

beforeEach(() => {
  vi.stubGlobal("window", {
    location: { origin: "", pathname: "/", hash: "#v=1&trace=t&layout=overview" },
    history: { state: null, pushState: () => {}, replaceState: () => {} },
    addEventListener: () => {},
  });
  startHistory();
});

it("stays in sight while one looks at a call of it, and Escape leads back to it, then out", () => {
  go({ selected: "window:5:10:1:2000", highlight: ["f"] }, "push");
  expect(rectangle.value).toEqual({ select: "window:5:10:1:2000", time: [5, 10], values: [1, 2000], ranks: null });
  go({ selected: "span:3:17" }, "push");
  expect(rectangle.value?.time).toEqual([5, 10]);
  clear();
  expect(place.value.selected).toBe("window:5:10:1:2000");
  clear();
  expect([place.value.selected, rectangle.value]).toEqual([null, null]);
  expect(place.value.highlight).toEqual(["f"]);
  clear();
  expect(place.value.highlight).toEqual([]);
});

it("is still there in a page that was loaded again", () => {
  go({ selected: "window:5:10:1:2000" }, "push");
  go({ selected: "span:3:17" }, "push");
  const hash = `#${encodePlace(place.value)}`;
  vi.stubGlobal("window", { ...window, location: { ...window.location, hash } });
  startHistory();
  expect([rectangle.value?.select, place.value.selected]).toEqual(["window:5:10:1:2000", "span:3:17"]);
  // A link that says what cannot be is mended.
  for (const broken of ["within=window:5:10", "select=span:3:17&within=phase:3", "select=phase:3&within=window:5:10"])
    expect(decodePlace(`v=1&trace=t&${broken}`).within).toBeNull();
});

it("goes with whatever is no call of it", () => {
  for (const selected of ["function:MPI_Send", "phase:3", null]) {
    go({ selected: "window:5:10:1:2000" }, "push");
    go({ selected }, "push");
    expect(rectangle.value).toBeNull();
  }
});

it("goes with other heights, and is cleared without losing the call", () => {
  go({ selected: "window:5:10" }, "push");
  go({ selected: "span:3:17" }, "push");
  go({ options: { y: "bytes" } }, "push");
  expect(rectangle.value).toBeNull();
  go({ selected: "window:5:10" }, "push");
  go({ selected: "span:3:18" }, "push");
  clearRectangle();
  expect([rectangle.value, place.value.selected]).toEqual([null, "span:3:18"]);
});
