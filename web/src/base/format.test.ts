import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { formatBytes, formatCount, formatDuration, formatShort, formatTime, plural, printable } from "./format";

describe("formatDuration", () => {
  it("takes the unit that fits, with four digits", () => {
    expect(formatDuration(3_786_000)).toBe("3.786 ms");
    expect(formatDuration(12_345_678)).toBe("12.35 ms");
    expect(formatDuration(115_400_000_000)).toBe("115.4 s");
    expect(formatDuration(4_000_000_000_000)).toBe("4,000 s");
    expect(formatDuration(1500)).toBe("1.500 µs");
  });

  it("follows the same rule as the server", () => {
    const cases = readFileSync(new URL("./durations.txt", import.meta.url), "utf8")
      .trim()
      .split("\n");
    expect(cases.length).toBeGreaterThan(20);
    for (const line of cases) {
      const [ns = "", text = ""] = line.split(" = ");
      expect(formatDuration(Number(ns)), ns).toBe(text);
    }
  });

  it("is exact below a microsecond", () => {
    expect(formatDuration(0)).toBe("0 ns");
    expect(formatDuration(999)).toBe("999 ns");
  });

  it("goes to the next unit rather than to a thousand", () => {
    expect(formatDuration(999_990)).toBe("1.000 ms");
    expect(formatDuration(999_999_999)).toBe("1.000 s");
  });

  it("keeps signs and admits what is no number", () => {
    expect(formatDuration(-2_500_000)).toBe("-2.500 ms");
    expect(formatDuration(Number.NaN)).toBe("–");
  });
});

describe("formatTime", () => {
  it("has as many decimals as the precision needs", () => {
    expect(formatTime(3_412_600_000, 1e6)).toBe("3.413 s");
    expect(formatTime(3_412_600_000, 1e9)).toBe("3 s");
    expect(formatTime(9_000_000, 1e6)).toBe("9 ms");
    expect(formatTime(900, 100)).toBe("900 ns");
  });

  it("takes a smaller unit where the digits behind the point would not end", () => {
    expect(formatTime(5_000_000_000, 100)).toBe("5,000,000.0 µs");
    expect(formatTime(5_000_000_000, 1000)).toBe("5,000.000 ms");
    expect(formatTime(5_000_000_123, 1)).toBe("5,000,000.123 µs");
  });

  it("gives zero the unit of its neighbours", () => {
    expect(formatTime(0, 1e8)).toBe("0.0 s");
    expect(formatTime(0, 1)).toBe("0.000 µs");
  });

  it("rounds instead of cutting off, and has no minus zero", () => {
    expect(formatTime(1_999_999_999, 1e6)).toBe("2.000 s");
    expect(formatTime(-1, 1e6)).toBe("0.000 s");
  });
});

describe("formatCount and formatBytes", () => {
  it("separates thousands, exactly", () => {
    expect(formatCount(0)).toBe("0");
    expect(formatCount(212_418_304)).toBe("212,418,304");
    expect(formatCount("18446744073709551615")).toBe("18,446,744,073,709,551,615");
    expect(formatCount("-1234")).toBe("-1,234");
    expect(formatCount("twelve")).toBe("–");
  });

  it("says bytes in powers of 1,024", () => {
    expect(formatBytes(512)).toBe("512 B");
    expect(formatBytes(32_768)).toBe("32.0 KiB");
    expect(formatBytes(4.5 * 1024 * 1024)).toBe("4.50 MiB");
    expect(formatBytes(1_048_575)).toBe("1.00 MiB");
  });
});

describe("printable", () => {
  it("leaves ordinary text alone", () => {
    expect(printable("MPI_Waitall – größe 多")).toBe("MPI_Waitall – größe 多");
  });

  it("writes out what is invisible or turns the direction", () => {
    expect(printable("a\u202eb")).toBe("a\\u{202e}b");
    expect(printable("a\nb\u0000\u200b\ufeff")).toBe("a\\u{a}b\\u{0}\\u{200b}\\u{feff}");
    expect(printable("\ud800x")).toBe("\\u{d800}x");
  });

  it("cuts long text between characters", () => {
    expect(printable("abcdef", 3)).toBe("abc…");
    expect(printable("😀😀😀", 2)).toBe("😀😀…");
    expect(printable("abc", 3)).toBe("abc");
  });
});

it("shortens counts to what there is room for", () => {
  expect([0, 9999, 12_345, 459_000, 29_200_000, 3e9].map(formatShort)).toEqual([
    "0",
    "9,999",
    "12.3 k",
    "459 k",
    "29.2 M",
    "3.0 G",
  ]);
});

it("has the right number of a noun", () => {
  expect([plural(1, "call"), plural("1", "call"), plural(0, "call"), plural("2", "call")]).toEqual([
    "call",
    "call",
    "calls",
    "calls",
  ]);
});
