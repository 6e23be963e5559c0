import { defineConfig } from "vitest/config";

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    // Fonts stay files: the page's policy allows them from its own origin only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What draws in space is large, and loaded only when it is needed.
    chunkSizeWarningLimit: 600,
  },
  test: { include: ["src/**/*.test.ts", "src/**/*.test.tsx"] },
});
