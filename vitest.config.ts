import { defineConfig, type TestUserConfig } from "vitest/config";
import { budgetReporter } from "./test/support/budget-reporter.js";
import { compiledSources } from "./test/support/compiled-sources.js";
import { drawingFiles } from "./test/support/drawing-files.js";
import { FileOrder } from "./test/support/file-order.js";
import { summaryReporter } from "./test/support/summary-reporter.js";

/**
 * Test files share the workers, and with them the modules, which are loaded once. What a file must remove at its end it
 * hands to `afterFile`. Node loads the compiled packages as they are. Workers are processes: to start a program takes the
 * longer the more memory the process has that starts it, and threads would share all of it. Their stack is that of
 * the product, so what overflows for a user overflows here. V8 optimizes code after four times as much use as it does by
 * default: tests run much code a few times, and a quarter of their time went into optimizing it. New objects have 32 MB
 * from the start: what a test leaves behind is garbage before V8 looks at it, instead of growing the rest of the heap.
 * It collects garbage in the thread of the tests: each core has a worker, so more threads only wait for one another.
 * WebAssembly is compiled once: to optimize PostgreSQL takes the results server longer than all its tests take.
 */
const project = (
  name: string,
  include: readonly string[],
  more: Pick<TestUserConfig, "exclude" | "testTimeout" | "hookTimeout" | "globalSetup" | "expect"> = {},
) => ({
  plugins: [compiledSources()],
  test: {
    name,
    include: [...include],
    provide: { isLong: name === "long" },
    pool: "forks" as const,
    isolate: false,
    execArgv: [
      "--interrupt-budget=500000",
      "--min-semi-space-size=32",
      "--max-semi-space-size=32",
      "--single-threaded-gc",
      "--liftoff-only",
    ],
    setupFiles: ["test/support/setup-file.ts"],
    server: { deps: { external: [/\/packages\/\w+\/(?:build|dist)\//] } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    ...more,
  },
});

export default defineConfig(({ mode }) => ({
  test: {
    reporters: ["default", summaryReporter, budgetReporter],
    maxWorkers: 2,
    sequence: { sequencer: FileOrder },
    globalSetup: [
      "test/support/fast-temp-folder.ts",
      "test/support/worker-memory.ts",
      "test/support/no-process-left.ts",
    ],
    projects: [
      // One project, since each has modules of its own, which would be compiled and loaded twice.
      project("suite", ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"], {
        exclude: ["test/long/**", "test/postgres/**", "test/browser/**", "test/agents/**"],
      }),
      // Needs Chromium: see test/support/open-browser.ts.
      project("browser", ["test/browser/**/*.test.ts"], {
        testTimeout: 120_000,
        hookTimeout: 120_000,
        // By default a page has a second to show what is expected of it, which is too little on a busy machine.
        expect: { poll: { timeout: 20_000 } },
      }),
      // The tests of the results server, on PostgreSQL: needs Debian's package.
      ...(mode === "postgres"
        ? [
            project(
              "postgres",
              ["packages/server/src/**/*.test.ts", "test/canary-uploads.test.ts", "test/postgres/**/*.test.ts"],
              {
                globalSetup: ["test/support/postgres-cluster.ts"],
              },
            ),
          ]
        : []),
      // Installs the agents of others, with a network.
      ...(mode === "agents"
        ? [project("agents", ["test/agents/**/*.test.ts"], { testTimeout: 120_000, hookTimeout: 300_000 })]
        : []),
      // Only in its mode: whoever names a file that belongs to both projects does not wait for minutes.
      ...(mode === "long"
        ? [project("long", ["test/long/**/*.test.ts", ...drawingFiles(import.meta.dirname)], { testTimeout: 600_000 })]
        : []),
    ],
  },
}));
