import { describe, expect, it } from "vitest";
import { percent, pieces, timeWords } from "./words";

describe("words", () => {
  it("have one unit for both ends of a window", () => {
    expect(timeWords([3_412_000_000, 3_447_000_000])).toBe("3,412.0–3,447.0 ms");
    expect(timeWords([802_000_000, 7_218_000_000])).toBe("0.80–7.22 s");
    expect(timeWords([0, 8_020_000_000])).toBe("0–8.02 s");
  });
  it("never say nought for something", () => {
    expect(percent(0)).toBe("0.0");
    expect(percent(0.01)).toBe("<0.1");
    expect(percent(21.44)).toBe("21.4");
  });
  it("tell names from the rest", () => {
    const name = (text: string) => ({ text, isName: true });
    const rest = (text: string) => ({ text, isName: false });
    expect(pieces("In `MPI_Wait` all `main`")).toEqual([rest("In "), name("MPI_Wait"), rest(" all "), name("main")]);
    expect(pieces("a ` b")).toEqual([rest("a ` b")]);
    expect(pieces("")).toEqual([]);
  });
});
