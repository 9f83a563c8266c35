import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["packages/*/src/**/*.test.ts"] } },
      { test: { name: "e2e", include: ["test/**/*.test.ts"], testTimeout: 30_000 } },
    ],
  },
});
