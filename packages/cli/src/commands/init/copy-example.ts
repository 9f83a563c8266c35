import { join } from "node:path";
import { quoteArgument } from "../../arguments/quote-argument.js";
import type { CliEnvironment } from "../../environment.js";
import { listPackageFiles, readPackageFile } from "../../package-files.js";
import type { Example } from "./examples.js";
import { createFiles } from "./project-files.js";

const docs = "https://kindlm.com/docs/";

/** Copies an example into a folder, and gives a line for each file. Throws a UsageError if one of them exists. */
export async function copyExample({ name }: Example, dir: string, environment: CliEnvironment): Promise<string> {
  const folder = `dist/examples/${name}`;
  const paths = await listPackageFiles(folder);
  const texts = await Promise.all(
    paths.map(async (path) => [path, await readPackageFile(`${folder}/${path}`)] as const),
  );
  const files = texts.map(([path, text]) => [path, path.endsWith(".md") ? withWebLinks(text) : text] as const);
  const written = await createFiles(dir, Object.fromEntries(files), environment);
  const readme = join(dir, "README.md");
  const { asTyped } = environment;
  return `${written}\nRun the tests, as ${readme} explains:\n  cd ${quoteArgument(dir)}\n  ${asTyped("kindlm test")}\n`;
}

/** The pages are in the repository, where a copy has no path to. */
function withWebLinks(markdown: string): string {
  return markdown.replaceAll(/\]\(\.\.\/\.\.\/docs\/([\w/-]+)\.md/g, (_, page: string) => `](${docs}${page}`);
}
