import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { insertMember } from "./insert-member.js";
import { assertionTemplate } from "./templates/assertion.js";
import { commandTemplate } from "./templates/command.js";
import { gateTemplate } from "./templates/gate.js";
import { providerTemplate } from "./templates/provider.js";
import { reporterTemplate } from "./templates/reporter.js";

const templates = {
  assertion: assertionTemplate,
  reporter: reporterTemplate,
  provider: providerTemplate,
  command: commandTemplate,
  gate: gateTemplate,
};

/**
 * Writes the folder of a member of a family and its line in the registry, below the folder of the repository.
 * Returns what was done, or what is wrong with the words.
 * @param {readonly string[]} words
 * @param {string} root
 * @returns {Promise<{ problem: string | null, done: string[] }>}
 */
export async function createMember([family = "", name], root) {
  const template = Object.hasOwn(templates, family) ? templates[family] : undefined;
  if (template === undefined || name === undefined) {
    return refused(`Usage: pnpm new <${Object.keys(templates).join("|")}> <name>`);
  }
  if (!/^[a-z][a-z0-9]*([_-][a-z0-9]+)*$/.test(name)) {
    return refused(`"${name}" is not a valid name. Use lowercase letters and digits, with words joined by _ or -`);
  }
  return scaffold(template, formsOf(name), root);
}

const refused = (problem) => ({ problem, done: [] });

async function scaffold({ folder, files, registry, member, next }, forms, root) {
  const existing = join(folder, forms.kebab);
  if (existsSync(join(root, existing))) return refused(`${existing} is there already`);
  const done = [];
  for (const [path, content] of Object.entries(files(forms))) {
    const file = join(folder, path);
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), content, { flag: "wx" });
    done.push(`wrote ${file}`);
  }
  const source = await readFile(join(root, registry.file), "utf8");
  await writeFile(join(root, registry.file), insertMember(source, registry.list, member(forms)));
  return { problem: null, done: [...done, `added a line to ${registry.file}\n${next(forms)}`] };
}

function formsOf(written) {
  const words = written.split(/[_-]/);
  const pascal = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join("");
  const camel = `${pascal.charAt(0).toLowerCase()}${pascal.slice(1)}`;
  return { kebab: words.join("-"), snake: words.join("_"), camel, pascal };
}
