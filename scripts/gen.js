import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { figures } from "../bench/figures.js";
import { renderAssertions } from "./reference/assertions.js";
import { renderCli } from "./reference/cli.js";
import { renderConfigTypes } from "./reference/config-types.js";
import { renderConfig } from "./reference/config.js";
import { renderErrors } from "./reference/errors.js";
import { withGates } from "./reference/gates.js";
import { withTable } from "./reference/markdown.js";
import { withOperators } from "./reference/matchers.js";

/**
 * Writes everything that is generated, from the built packages. With `--check` writes nothing and fails with the list
 * of files that are not as they would be written.
 */

const isCheck = process.argv.includes("--check");
const referenceFolder = "docs/reference";

const files = await generate();
const stale = [];
for (const [path, content] of files) {
  const before = await readFile(path, "utf8").catch(() => null);
  if (before === content) continue;
  stale.push(path);
  if (isCheck) continue;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
const strays = (await readdir(referenceFolder).catch(() => []))
  .map((name) => `${referenceFolder}/${name}`)
  .filter((path) => !files.has(path));

if (isCheck && (stale.length > 0 || strays.length > 0)) {
  for (const path of stale) console.error(`${path} is not up to date; run: pnpm gen`);
  for (const path of strays) console.error(`${path} is not generated any more; delete it`);
  process.exitCode = 1;
} else {
  console.log(isCheck ? `generated files: ${files.size} up to date` : `gen: ${stale.length} of ${files.size} written`);
}

/** Path and content of each generated file. */
async function generate() {
  const core = await import(pathToFileURL(resolve("packages/core/dist/index.js")).href);
  const [{ commands }, { createProgram }] = await Promise.all(
    ["commands/registry.js", "arguments/create-program.js"].map(
      (path) => import(pathToFileURL(resolve("packages/cli/build", path)).href),
    ),
  );
  const forms = await import(pathToFileURL(resolve("packages/core/build/config/config-forms.js")).href);
  const { operators } = await import(pathToFileURL(resolve("packages/core/build/matchers/registry.js")).href);
  const targets = await import(pathToFileURL(resolve("packages/core/build/targets/registry.js")).href);
  const configForms = forms.configForms();
  const editorSchema = renderCompactJson(core.configJsonSchema());
  return new Map([
    ["packages/core/src/version.ts", await withVersion("packages/core")],
    ["packages/cli/src/version.ts", await withVersion("packages/cli")],
    ["packages/core/src/generated/config-types.ts", renderConfigTypes(configForms)],
    ["packages/core/src/generated/volatile-report-fields.ts", await volatileFields()],
    ["schemas/kindlm.schema.json", editorSchema],
    ["packages/cli/schema.json", editorSchema],
    ["schemas/run-result.schema.json", renderJson(core.runResultJsonSchema())],
    ["schemas/results-server.openapi.json", renderCompactJson(await openApi())],
    ["docs/benchmarks.md", await withFigures("docs/benchmarks.md")],
    ["docs/matchers.md", withOperators(await readFile("docs/matchers.md", "utf8"), operators)],
    ["docs/gates.md", withGates(await readFile("docs/gates.md", "utf8"), configForms)],
    [`${referenceFolder}/assertions.md`, renderAssertions(configForms)],
    [`${referenceFolder}/cli.md`, await renderCli(commands, createProgram)],
    [`${referenceFolder}/config.md`, renderConfig(configForms, targets)],
    [`${referenceFolder}/errors.md`, renderErrors(core.errorTable)],
  ]);
}

/** What differs between equal runs is found in the shape of their report here, and not at each start. */
async function volatileFields() {
  const { reportShape, volatileFieldsOf } = await import(
    pathToFileURL(resolve("packages/core/build/reporters/json/report-shape.js")).href
  );
  const fields = [...new Set(volatileFieldsOf(reportShape))];
  return `/**
 * What differs between two JSON reports of runs that came to the same: of which run they are, how long things took, and
 * whether recordings answered. A field is named by the keys on the way to it, lists left out; \`**\` stands for any way,
 * and a gate by its name. Generated from the shape of the report; run \`pnpm gen\` to update.
 */
export const volatileReportFields: readonly string[] = ${JSON.stringify(fields, null, 2)};
`;
}

/** The API of the results server. */
async function openApi() {
  const [{ renderOpenApi }, { routes }] = await Promise.all(
    ["render-open-api.js", "routes/registry.js"].map(
      (path) => import(pathToFileURL(resolve("packages/server/build/api", path)).href),
    ),
  );
  return renderOpenApi(routes);
}

/** The text of version.ts with the version of package.json in it. */
async function withVersion(folder) {
  const { version } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
  const source = await readFile(`${folder}/src/version.ts`, "utf8");
  return source.replace(/(ersion = )"[^"]*"/, `$1"${version}"`);
}

/** The text of the page with the table of what is measured in it. */
async function withFigures(page) {
  const rows = figures.map(({ name, what, targets }) => {
    const cells = Object.entries(targets).map(([unit, target]) => `${unit} ≤ ${target}`);
    return `| \`${name}\` | ${what} | ${cells.join("; ")} |\n`;
  });
  const table = `| figure | measured as | target |\n|---|---|---|\n${rows.join("").trimEnd()}`;
  return withTable(await readFile(page, "utf8"), "figures", table);
}

/** JSON that is short and can still be read in a diff: what fits on a line stands on one, and so does a list of names. */
function renderCompactJson(value) {
  const render = (part, room) => {
    const line = JSON.stringify(part);
    const isPlain = Array.isArray(part) && part.every((item) => typeof item !== "object");
    if (line.length <= room || isPlain || typeof part !== "object" || part === null) return line;
    const names = Array.isArray(part) ? part.map(() => "") : Object.keys(part).map((key) => `${JSON.stringify(key)}: `);
    const items = Object.values(part).map((item, index) => `${names[index]}${render(item, room - 1)}`);
    const [open, close] = Array.isArray(part) ? "[]" : "{}";
    return `${open}\n${items.join(",\n").replaceAll(/^/gm, " ")}\n${close}`;
  };
  return `${render(value, 360)}\n`;
}

function renderJson(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}
