import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import process from "node:process";
import { importPromptfoo } from "../packages/core/dist/commands/import-promptfoo.js";
import { validateConfig } from "../packages/core/dist/commands/validate-config.js";

/**
 * Converts every config of promptfoo in a folder, and counts how many convert whole, in part, and not at all, and how many
 * results are valid. Such as: node scripts/import-promptfoo.js promptfoo/examples
 */
const [folder = "."] = process.argv.slice(2);
const entries = await readdir(folder, { recursive: true, withFileTypes: true });
const configs = entries.filter(({ name }) => /^promptfooconfig.*\.(?:ya?ml|json)$/.test(name));
const counts = { whole: 0, "in part": 0, "not at all": 0, invalid: 0 };
const reasons = new Map();
for (const { parentPath, name } of configs.toSorted((a, b) =>
  join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1,
)) {
  const file = join(parentPath, name);
  const shown = relative(folder, file);
  const imported = await importPromptfoo({ file: basename(file) }, { cwd: resolve(dirname(file)) });
  if (!imported.success) {
    counts["not at all"] += 1;
    console.log(`not at all  ${shown}: ${imported.error.message}`);
    continue;
  }
  const { files, findings } = imported.data;
  counts[findings.length === 0 ? "whole" : "in part"] += 1;
  for (const { message } of findings) {
    const kind = message.replaceAll(/"[^"]*"/g, '"…"');
    reasons.set(kind, (reasons.get(kind) ?? 0) + 1);
  }
  const problem = await problemOf(files, dirname(file));
  if (problem === null) continue;
  counts.invalid += 1;
  console.log(`invalid     ${shown}: ${problem}`);
}
console.log(
  `\n${configs.length} configs: ${Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(", ")}\n`,
);
for (const [kind, count] of [...reasons].toSorted((a, b) => b[1] - a[1]).slice(0, 40)) console.log(`${count}\t${kind}`);

/** Why the written config is not valid, next to the files that it names; null if it is. */
async function problemOf(files, source) {
  const place = await mkdtemp(join(tmpdir(), "kindlm-promptfoo-"));
  try {
    await cp(source, place, { recursive: true, filter: (path) => !path.includes("node_modules") });
    for (const [name, text] of Object.entries(files)) await writeFile(join(place, name), text);
    const valid = await validateConfig({ paths: ["kindlm.yaml"] }, { cwd: place, env: {} });
    if (!valid.success) return JSON.stringify(valid.error).slice(0, 300);
    const errors = valid.data.diagnostics.filter(({ severity }) => severity !== "warning");
    return errors.length === 0 ? null : errors.map(({ message }) => message).join("; ");
  } finally {
    await rm(place, { recursive: true });
  }
}
