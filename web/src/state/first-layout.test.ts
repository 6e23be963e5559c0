import { expect, it } from "vitest";
import type { TraceInfo } from "../api/types";
import { firstLayout } from "./first-layout";

it("begins with the first layout that says that it suits the trace, else with the plain one", () => {
  const layout = (name: string, isFirst?: (info: TraceInfo) => boolean) => ({
    name,
    title: name,
    text: "1x",
    ...(isFirst && { isFirst }),
  });
  const layouts = [layout("overview"), layout("many", ({ ranks }) => ranks > 100), layout("any", () => true)];
  expect(firstLayout({ ranks: 256 } as TraceInfo, layouts)).toBe("many");
  expect(firstLayout({ ranks: 16 } as TraceInfo, layouts)).toBe("any");
  expect(firstLayout({ ranks: 16 } as TraceInfo, layouts.slice(0, 2))).toBe("overview");
});
