import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["packages/*/src/**/*.test.ts"] } },
      { test: { name: "e2e", include: ["test/**/*.test.ts"], exclude: ["test/long/**"], testTimeout: 30_000 } },
      { test: { name: "long", include: ["test/long/**/*.test.ts"], testTimeout: 600_000 } },
    ],
  },
});
