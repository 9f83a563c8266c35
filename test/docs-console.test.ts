import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { followPage } from "./support/docs/follow-page.js";
import { blocksOf, pages, readPage, type Block } from "./support/docs/pages.js";
import { runCli } from "./support/run-cli.js";

/** Pages with transcripts that cannot be repeated here, with the reason. */
const notRun: Readonly<Record<string, string>> = {
  "docs/resilience.md": "rehearses 200 cases of two real models",
};

/** Pages that start a program which is not on every machine. */
const programOf: Readonly<Record<string, string>> = { "docs/custom-checks.md": "python3" };

const isInstalled = (program: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));

const shown = pages
  .filter((page) => !page.startsWith("examples/"))
  .map((page) => [page, blocksOf(page).filter(({ language }) => language === "console")] as const)
  .filter(([page, blocks]) => blocks.length > 0 && !Object.hasOwn(notRun, page));

/** A page begins in an empty folder, or in a project that `kindlm init` writes: `console project=init`. */
async function start(consoles: readonly Block[]): Promise<string> {
  const cwd = makeProject({});
  const [project] = consoles.flatMap(({ attributes }) => attributes["project"] ?? []);
  if (project === undefined) return cwd;
  const what = project === "init" ? ["--yes"] : ["--example", project];
  const { code, stderr } = await runCli(["init", "--dir", "project", ...what], { cwd });
  expect([code, stderr]).toEqual([0, ""]);
  return join(cwd, "project");
}

it("runs the transcripts of all pages", () => {
  const isTranscript = ({ text, language }: Block): boolean =>
    language !== "console" && /^\$ |^(?:Summary|Exit code): \d/m.test(text);
  const hidden = pages.flatMap(blocksOf).filter(isTranscript);
  expect(Object.keys(notRun).filter((page) => !readPage(page).includes("```console"))).toEqual([]);
  expect(
    hidden.map(({ place }) => place),
    "Write ```console, with the command behind $",
  ).toEqual([]);
});

it.for(shown)("%s shows what its commands print", async ([page, consoles], { annotate }) => {
  const program = programOf[page];
  if (program !== undefined && !isInstalled(program)) {
    return void (await annotate(`the commands of ${page}, without ${program}`, "untested"));
  }
  await followPage(page, { cwd: await start(consoles) });
});
