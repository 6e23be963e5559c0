import { describe, expect, it } from "vitest";
import { clampSteps, decodeLogical, showsSteps, USUAL_LOGICAL } from "./logical-place";

describe("steps", () => {
  it("stay inside, moved rather than cut, and all of them are null", () => {
    expect(clampSteps([-2, 8], 100)).toEqual([0, 10]);
    expect(clampSteps([95.5, 105.5], 100)).toEqual([90, 100]);
    expect(clampSteps([40.1234567, 50.1234567], 100)).toEqual([40.123, 50.123]);
    expect(clampSteps([5, 5.1], 100)).toEqual([5, 6]);
    expect(clampSteps([-5, 500], 100)).toBeNull();
    expect(clampSteps([0, 1], 0)).toBeNull();
    expect(clampSteps([99.9, 100], 100)).toEqual([99, 100]);
  });
});

describe("what a link says of logical time", () => {
  const read = (text: string) => decodeLogical(new URLSearchParams(text));

  it("leaves out what is broken", () => {
    for (const text of ["steps=9:3", "steps=1:1.5", "steps=a:b", "range=5:5", "range=1:2:3", "range=:", "phase=-1"])
      expect(read(text)).toEqual(USUAL_LOGICAL);
    expect(read("colour=red&palette=&stepping=x&common-caller=yes&metric=")).toEqual(USUAL_LOGICAL);
  });

  it("has the options by the names of the command line", () => {
    expect(read("common-caller=0&leap-merge=1&stepping=earliest&phase-function=step()").options).toMatchObject({
      commonCaller: false,
      leapMerge: true,
      waitAll: true,
      stepping: "earliest",
      phaseFunction: "step()",
    });
  });
});

it("knows the layouts that show steps", () => {
  for (const layout of ["logical", "1logical", "1c(500timeline.logical!1,500activity)", "1c(300metric,700timeline)"])
    expect(showsSteps(layout)).toBe(true);
  for (const layout of ["", "overview", "1calls", "1c(500logical2,500a-metric)"])
    expect(showsSteps(layout)).toBe(false);
});
