import { describe, expect, it } from "vitest";
import { panBy, panWhole, valueAt, type Wheel, wheelMove, zoomAt, zoomWhole } from "./navigate";

function wheel(change: Partial<Wheel>): Wheel {
  return { deltaX: 0, deltaY: 0, deltaMode: 0, ctrlKey: false, shiftKey: false, altKey: false, ...change };
}

describe("wheelMove", () => {
  it("zooms by about a quarter per notch", () => {
    const move = wheelMove(wheel({ deltaY: 100 }));
    expect(move?.kind).toBe("zoom");
    expect(move?.kind === "zoom" && move.factor).toBeCloseTo(1.246, 2);
    const back = wheelMove(wheel({ deltaY: -100 }));
    expect(back?.kind === "zoom" && back.factor).toBeCloseTo(1 / 1.246, 2);
  });

  it("counts lines and pages as pixels", () => {
    expect(wheelMove(wheel({ deltaY: 3, deltaMode: 1 }))).toEqual(wheelMove(wheel({ deltaY: 48 })));
    expect(wheelMove(wheel({ deltaY: 1, deltaMode: 2 }))).toEqual(wheelMove(wheel({ deltaY: 400 })));
  });

  it("does not leap when a free wheel is spun", () => {
    const move = wheelMove(wheel({ deltaY: 1e6 }));
    expect(move?.kind === "zoom" && move.factor).toBeCloseTo(1.5);
  });

  it("pans with Shift and sideways, whichever axis the browser reports", () => {
    expect(wheelMove(wheel({ deltaY: 40, shiftKey: true }))).toEqual({ kind: "pan", pixels: 40 });
    expect(wheelMove(wheel({ deltaX: 40, shiftKey: true }))).toEqual({ kind: "pan", pixels: 40 });
    expect(wheelMove(wheel({ deltaX: -30, deltaY: 4 }))).toEqual({ kind: "pan", pixels: -30 });
  });

  it("zooms the other axis with Alt, and the first when pinched", () => {
    expect(wheelMove(wheel({ deltaY: 100, altKey: true }))?.kind).toBe("zoom-down");
    const pinch = wheelMove(wheel({ deltaY: 10, ctrlKey: true }));
    expect(pinch?.kind === "zoom" && pinch.factor).toBeCloseTo(1.105, 3);
  });

  it("ignores a wheel that stands still", () => {
    expect(wheelMove(wheel({}))).toBeNull();
    expect(wheelMove(wheel({ ctrlKey: true, deltaX: 5 }))).toBeNull();
  });
});

describe("windows", () => {
  it("keep what is under the pointer there while zooming", () => {
    const window: [number, number] = [1000, 2000];
    const at = valueAt(window, 64, 320, 64 + 80);
    expect(at).toBe(1250);
    const next = zoomAt(window, at, 0.5);
    expect(next).toEqual([1125, 1625]);
    expect(valueAt(next, 64, 320, 64 + 80)).toBe(1250);
  });

  it("follow the hand while panning", () => {
    expect(panBy([1000, 2000], 32, 320)).toEqual([900, 1900]);
    expect(panWhole([4, 8], 70, 260)).toEqual([3, 7]);
    expect(panWhole([4, 8], 20, 260)).toEqual([4, 8]);
  });

  it("zoom in whole rows, once there is one", () => {
    expect(zoomWhole([0, 16], 8, 0.5)).toEqual([4, 12]);
    expect(zoomWhole([0, 4], 2, 0.95)).toBeNull();
    expect(zoomWhole([3, 4], 3.5, 0.5)).toBeNull();
    expect(zoomWhole([3, 4], 3.5, 2)).toEqual([3, 5]);
  });

  it("survive a plot without width", () => {
    expect(panBy([0, 10], 5, 0).every(Number.isFinite)).toBe(true);
    expect(Number.isFinite(valueAt([0, 10], 0, 0, 5))).toBe(true);
  });
});
