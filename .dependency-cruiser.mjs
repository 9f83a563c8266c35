import { memberRules } from "./scripts/structure/member-rules.js";
import { forServers, serverRules } from "./scripts/structure/server-rules.js";
import { forBrowsers, viewerRules } from "./scripts/structure/viewer-rules.js";

const core = "^packages/core/src/";
const cli = "^packages/cli/src/";
/** What is not published. */
const testCode = ["\\.test\\.ts$", "/__fixtures__/"];
const forTerminals = ["commander", "picocolors", "string-width", "wrap-ansi"];
/** Libraries that the bundles hold. */
const takenIn = [
  "@modelcontextprotocol/sdk",
  "ajv",
  "ajv-formats",
  "diff",
  "dotenv",
  "eventsource-parser",
  "fastest-levenshtein",
  "p-limit",
  "yaml",
  "zod",
  ...forTerminals,
  ...forBrowsers,
  ...forServers,
];
const notTypeOnly = { dependencyTypesNot: ["type-only"] };

/**
 * The layers of core from the lowest up; each may import itself and what stands before it. A name with a dot is a
 * file, any other a folder.
 */
export const layers = [
  ["result.ts", "version.ts", "generated", "errors", "shape", "values"],
  ["transcript", "json-schema", "matchers", "statistics", "redaction", "files"],
  ["processes", "modules", "summary"],
  ["schema-parts"],
  ["workspace"],
  ["providers", "tools", "assertions", "gates"],
  ["resilience"],
  ["transcript-import", "promptfoo-import"],
  ["traces"],
  ["targets"],
  ["extensions"],
  ["config"],
  ["plan"],
  ["engine"],
  ["verdict", "reporters"],
  ["plugins", "journal", "cassette", "baseline", "span-export"],
  ["module-worker"],
  ["run"],
  ["doctor", "merge", "score", "rehearsal", "calibrate", "watch"],
  ["upload"],
  ["commands"],
  ["index.ts", "program.ts", "upload.ts"],
];

const escaped = (name) => name.replace(".", "\\.");
const pathOf = (members) =>
  `${core}(${members.map((name) => (name.includes(".") ? `${escaped(name)}$` : `${name}/`)).join("|")})`;

const layerRules = layers.slice(0, -1).map((layer, index) => ({
  name: `down-only-${layer[0].replace(".ts", "")}`,
  comment: `Imports go down only: ${layer.join(", ")} must not know what is built on top of them.`,
  severity: "error",
  from: { path: pathOf(layer), pathNot: testCode },
  to: { path: pathOf(layers.slice(index + 1).flat()) },
}));

export default {
  forbidden: [
    ...layerRules,
    ...memberRules,
    ...viewerRules,
    ...serverRules,
    {
      name: "families-apart",
      comment: "Providers, tools, assertions and gates meet in the engine only; what they share lies below them.",
      severity: "error",
      from: { path: `${core}(providers|tools|assertions|gates)/` },
      to: {
        path: `${core}(providers|tools|assertions|gates)/`,
        pathNot: [`${core}$1/`, `${core}providers/(provider|http/transport)\\.ts$`],
      },
    },
    {
      name: "provider-contract-by-type",
      comment: "Tools and assertions may name the types of the provider contract and of HTTP, not their code.",
      severity: "error",
      from: { path: `${core}(tools|assertions)/` },
      to: { path: `${core}providers/(provider|http/transport)\\.ts$`, ...notTypeOnly },
    },
    {
      name: "known-layer",
      comment: "A new folder or file of core takes its place in the list of layers first.",
      severity: "error",
      from: { path: core, pathNot: [...testCode, pathOf(layers.flat())] },
      to: {},
    },
    {
      name: "leaves-apart",
      comment: "These small folders know values and errors only, so that everyone may use them.",
      severity: "error",
      from: { path: `${core}(transcript|statistics|redaction|processes|modules)/`, pathNot: testCode },
      to: { path: `${core}(?!$1/)(transcript|json-schema|matchers|statistics|redaction|processes|modules)/` },
    },
    {
      name: "registry-by-builders-only",
      comment: "A member that asks its own registry would be in a circle with it.",
      severity: "error",
      from: { path: "^packages/(core|cli)/src/(assertions|gates|providers|reporters)/[^/]+/", pathNot: testCode },
      to: { path: "^packages/$1/src/$2/registry\\.ts$" },
    },
    {
      name: "no-cycles",
      comment:
        "Files in a circle load in an order that nobody chose, and types in a circle cannot be read or moved alone.",
      severity: "error",
      from: { pathNot: testCode },
      to: { circular: true },
    },
    {
      name: "no-orphans",
      comment: "A file that nothing imports is not used.",
      severity: "error",
      from: {
        orphan: true,
        pathNot: [
          ...testCode,
          "\\.d\\.ts$",
          "/src/(bin|index|program|report|upload)\\.ts$",
          // The script of the pages of the results server.
          "^packages/viewer/src/server-page\\.ts$",
          `${core}commands/`,
          "/module-worker\\.ts$",
          "/pglite-worker\\.ts$",
        ],
      },
      to: {},
    },
    {
      name: "cli-uses-public-core",
      comment:
        "The CLI is the first user of core's public API, its index, its commands and its parts for programs: if it needs more, so will others.",
      severity: "error",
      from: { path: cli },
      to: {
        path: "^packages/core/",
        pathNot: ["^packages/core/dist/(index|program|commands/[^/]+)\\.(js|d\\.ts)$", `${core}__fixtures__/`],
      },
    },
    {
      name: "core-without-cli",
      comment: "Core serves other programs than the CLI as well.",
      severity: "error",
      from: { path: core },
      to: { path: "^packages/cli/|node_modules/@kindlm/cli/" },
    },
    {
      name: "core-without-terminal",
      comment: "Arguments, colors and debug output belong to the CLI.",
      severity: "error",
      from: { path: core },
      to: { path: `(^|node_modules/)(${[...forTerminals, "debug"].join("|")})(/|$)` },
    },
    {
      name: "nothing-imports-bin",
      comment: "bin.ts acts on the process when it is loaded.",
      severity: "error",
      from: {},
      to: { path: `${cli}bin\\.ts$` },
    },
    {
      name: "members-apart-cli",
      comment: "A command or a reporter can be added or taken away alone; what they share is next to their folders.",
      severity: "error",
      from: { path: `${cli}(commands|reporters)/([^/]+)/` },
      to: { path: `${cli}$1/[^/]+/`, pathNot: `${cli}$1/$2/` },
    },
    {
      name: "no-tests-in-sources",
      comment: "Tests and what helps them are not published.",
      severity: "error",
      from: { path: "^packages/[^/]+/src/", pathNot: testCode },
      to: { path: [...testCode, "^(bench|scripts)/"] },
    },
    {
      name: "unit-tests-by-themselves",
      comment: "What unit tests share lies in __fixtures__; test/ is for the built packages and builds on it.",
      severity: "error",
      from: { path: "^packages/[^/]+/src/" },
      to: { path: "^test/" },
    },
    {
      name: "no-dev-dependencies-in-sources",
      comment: "What a source imports must come with the package: as a dependency, or taken in by scripts/bundle.js.",
      severity: "error",
      from: { path: "^packages/[^/]+/src/", pathNot: testCode },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"],
        pathNot: `/node_modules/(${takenIn.join("|")})/`,
        dependencyTypesNot: ["type-only", "npm-peer"],
      },
    },
    {
      name: "no-unresolvable",
      comment: "An import that leads nowhere breaks at run time.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "heavy-libraries-lazily",
      comment:
        "These are slow to load; start-up stays fast when they load at their first use, by import() or by a require() inside a function.",
      severity: "error",
      from: { path: "^packages/[^/]+/src/", pathNot: testCode },
      to: {
        path: "node_modules/(undici|ajv|ajv-formats|csv-parse|dotenv|tinyglobby|jiti|string-width|wrap-ansi)/|/mcp/connect-mcp\\.ts$",
        dynamic: false,
        dependencyTypesNot: ["type-only", "require"],
      },
    },
    {
      name: "zod-deferred",
      comment: "values/deferred-zod.ts is zod, but builds a schema at its first use; start-up stays fast.",
      severity: "error",
      from: { path: core, pathNot: [...testCode, `${core}values/deferred-zod\\.ts$`] },
      to: { path: "node_modules/zod/", ...notTypeOnly },
    },
    {
      name: "index-for-outsiders",
      comment: "Inside core a file imports what it needs from where that is made.",
      severity: "error",
      from: { path: core, pathNot: testCode },
      to: { path: `${core}(index|program|upload)\\.ts$` },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: ["node_modules", "/dist/"] },
    exclude: { path: "^test/fixtures/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "types", "node", "default"],
      mainFields: ["module", "main", "types"],
      extensions: [".ts", ".tsx", ".js", ".d.ts", ".json"],
    },
  },
};
