import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { insertMember } from "./insert-member.js";
import { assertionTemplate } from "./templates/assertion.js";
import { commandTemplate } from "./templates/command.js";
import { gateTemplate } from "./templates/gate.js";
import { providerTemplate } from "./templates/provider.js";
import { reporterTemplate } from "./templates/reporter.js";

/** Scaffolds a member of a family: `pnpm new assertion foo_bar` writes its folder and its line in the registry. */

const templates = {
  assertion: assertionTemplate,
  reporter: reporterTemplate,
  provider: providerTemplate,
  command: commandTemplate,
  gate: gateTemplate,
};

const [family, name] = process.argv.slice(2);
const template = Object.hasOwn(templates, family ?? "") ? templates[family] : undefined;
if (template === undefined || name === undefined) {
  fail(`Usage: pnpm new <${Object.keys(templates).join("|")}> <name>`);
} else if (!/^[a-z][a-z0-9]*([_-][a-z0-9]+)*$/.test(name)) {
  fail(`"${name}" is not a valid name. Use lowercase letters and digits, with words joined by _ or -`);
} else {
  await scaffold(template, formsOf(name));
}

async function scaffold({ folder, files, registry, member, next }, forms) {
  const existing = join(folder, forms.kebab);
  if (existsSync(existing)) {
    fail(`${existing} is there already`);
    return;
  }
  for (const [path, content] of Object.entries(files(forms))) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { flag: "wx" });
    console.log(`wrote ${file}`);
  }
  const source = await readFile(registry.file, "utf8");
  await writeFile(registry.file, insertMember(source, registry.list, member(forms)));
  console.log(`added a line to ${registry.file}\n${next(forms)}`);
}

function formsOf(written) {
  const words = written.split(/[_-]/);
  const pascal = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join("");
  const camel = `${pascal.charAt(0).toLowerCase()}${pascal.slice(1)}`;
  return { kebab: words.join("-"), snake: words.join("_"), camel, pascal };
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
