/** Libraries that the bundle of the results server holds. */
export const forServers = ["@hono/node-server", "hono", "kysely"];

/** What the results server may import, and who may import it. */
export const serverRules = [
  {
    name: "vitest-uses-public-core",
    comment: "The package for Vitest is a user of the public API of core, and of nothing else.",
    severity: "error",
    from: { path: "^packages/vitest/src/", pathNot: "\\.test\\.ts$" },
    to: {
      path: "^packages/(core|cli|viewer|server)/",
      pathNot: "^packages/core/dist/(index|program|commands/[^/]+)\\.(js|d\\.ts)$",
    },
  },
  {
    name: "nothing-imports-vitest",
    comment: "It needs Vitest, which few of the users have.",
    severity: "error",
    from: { path: "^packages/(core|cli|viewer|server)/" },
    to: { path: "^packages/vitest/" },
  },
  {
    name: "server-uses-public-core",
    comment:
      "The server knows the documents of an upload and the public API of core. Of the CLI it contains what describes a run in the HTML report, through one file.",
    severity: "error",
    from: { path: "^packages/server/src/", pathNot: ["\\.test\\.ts$", "/__fixtures__/"] },
    to: { path: "^packages/(core/src|cli)/", pathNot: "^packages/cli/build/report\\.(js|d\\.ts)$" },
  },
  {
    name: "nothing-imports-server",
    comment: "The server is a separate program: whoever runs tests does not install it.",
    severity: "error",
    from: { path: "^packages/(core|cli|viewer)/" },
    to: { path: "^packages/server/" },
  },
];
