const viewer = "^packages/viewer/src/";
const others = "^packages/(core|cli)/";
/** Functions that need nothing of Node, not even by what they import. */
const shared = "^packages/core/src/values/(diff-lists|duration|percent|plural|random|usd)\\.ts$";
/** Libraries that the page contains. */
export const forBrowsers = ["preact", "@preact/signals"];

/** Rules of .dependency-cruiser.mjs for the page of the HTML report. */
export const viewerRules = [
  {
    name: "viewer-by-type",
    comment:
      "The page runs in browsers and the rest in Node, so they share types, and functions of values that need neither.",
    severity: "error",
    from: { path: viewer },
    to: { path: others, pathNot: shared, dependencyTypesNot: ["type-only"] },
  },
  {
    name: "nothing-imports-viewer",
    comment: "The page is built into one file, which reports contain; its types describe their data.",
    severity: "error",
    from: { path: others },
    to: { path: viewer, dependencyTypesNot: ["type-only"] },
  },
  {
    name: "browser-libraries-in-viewer",
    comment: "Only the page draws with them.",
    severity: "error",
    from: { path: others },
    to: { path: `(^|node_modules/)(${forBrowsers.join("|")})(/|$)` },
  },
];
