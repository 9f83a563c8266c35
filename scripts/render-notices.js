import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The licenses of the libraries that these modules are from, as they ask for. `modules`: their paths. */
export async function renderNotices(modules) {
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  const notices = [];
  for (const folder of [...folders].toSorted((a, b) => a.localeCompare(b))) {
    const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? `License: ${license}` : (await readFile(join(folder, file), "utf8")).trim();
    notices.push(`## ${name} ${version}\n\n${text}\n`);
  }
  return `# Third-party notices\n\nThis package contains code of the following libraries.\n\n${notices.join("\n")}`;
}
