import { describe, expect, it } from "vitest";
import { isPress, keycaps } from "./commands";

const event = (key: string, more: Partial<KeyboardEvent> = {}) =>
  ({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...more }) as KeyboardEvent;

describe("keys", () => {
  it("tell Ctrl-Z from Ctrl-Shift-Z, and take Cmd for Ctrl", () => {
    const undo = { key: "z", mod: true };
    const redo = { key: "z", mod: true, shift: true };
    expect(isPress(event("z", { ctrlKey: true }), undo)).toBe(true);
    expect(isPress(event("z", { metaKey: true }), undo)).toBe(true);
    expect(isPress(event("Z", { ctrlKey: true, shiftKey: true }), undo)).toBe(false);
    expect(isPress(event("Z", { ctrlKey: true, shiftKey: true }), redo)).toBe(true);
    expect(isPress(event("z"), undo)).toBe(false);
  });
  it("do not ask how a sign is typed", () => {
    expect(isPress(event("?", { shiftKey: true }), { key: "?" })).toBe(true);
    expect(isPress(event("/", { shiftKey: true }), { key: "/" })).toBe(true);
    expect(isPress(event("w", { ctrlKey: true }), { key: "w" })).toBe(false);
  });
  it("are named as on the keycaps", () => {
    expect(keycaps({ key: "z", mod: true, shift: true })).toEqual(["Ctrl", "Shift", "Z"]);
    expect(keycaps({ key: "ArrowLeft" })).toEqual(["←"]);
  });
});
