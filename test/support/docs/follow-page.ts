import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { sharedModules } from "../../../packages/core/src/__fixtures__/shared-modules.js";
import { repository, runCli } from "../run-cli.js";
import { wordsOf } from "./commands.js";
import { blocksOf, readPage, type Block } from "./pages.js";

/** A line of a `console` block that starts with `$ `, and what the page shows below it. */
interface Step {
  line: string;
  shown: string;
}

interface World {
  cwd: string;
  env: Readonly<Record<string, string>>;
}

/** Durations, ids of runs, versions and `…` may be anything. */
const varying = /\b\d+(?:\.\d+)? (?:ms|s|min)\b|\b\d{8}-\d{9}-[0-9a-f]{6}\b|(?<=KindLM +)\d+\.\d+\.\d+|…/g;
const sources = [
  [/^…$/, "[^]*?"],
  [/^\d+\.\d+\.\d+$/, String.raw`\d+\.\d+\.\d+`],
  [/ /, String.raw`\d+(?:\.\d+)? (?:ms|s|min)`],
  [/-/, String.raw`\d{8}-\d{9}-[0-9a-f]{6}`],
] as const;

/** The output as shown, as a pattern. */
function patternOf(shown: string): RegExp {
  const parts = shown.split(varying).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  const between = [...shown.matchAll(varying)].map(([mark]) => sources.find(([of]) => of.test(mark))?.[1] ?? mark);
  const source = parts.map((part, index) => `${part}${between[index] ?? ""}`).join("");
  // What is at the right margin moves with the length of a duration.
  return new RegExp(`^${source.replaceAll(/ {2,}/g, " {2,}")}$`);
}

const stepsOf = (text: string): readonly Step[] =>
  text.split(/^\$ /m).flatMap((part, index) => {
    const [line = "", ...shown] = part.split("\n");
    return index === 0 ? [] : [{ line, shown: shown.join("\n") }];
  });

/** What a line prints: of KindLM in this process, of all else in a shell. Null: it is not run. */
async function printedBy(line: string, { cwd, env }: World): Promise<string | null> {
  // They would reach outside of the project.
  if (/^(?:npm|git) /.test(line)) return null;
  const [words] = /[|><;&]/.test(line) ? [] : wordsOf(line);
  if (words === undefined || !/^(?:npx )?kindlm /.test(line)) {
    const ran = await promisify(execFile)("sh", ["-c", line], { cwd, env: { PATH: process.env["PATH"], ...env } });
    return ran.stdout;
  }
  const { stdout, stderr } = await runCli(words, { cwd, env: { COLUMNS: "80", ...env }, openModules: sharedModules });
  return (stdout === "" ? stderr : stdout).replaceAll(cwd, "/project");
}

async function followBlock({ text }: Block, world: World): Promise<string> {
  let followed = text.split(/^\$ /m)[0] ?? "";
  for (const { line, shown } of stepsOf(text)) {
    const printed = await printedBy(line, world);
    const isRight = printed === null || patternOf(shown).test(printed);
    followed += `$ ${line}\n${isRight ? shown : printed}`;
  }
  return followed;
}

function writeFile({ text, attributes: { file = "" }, language, place }: Block, cwd: string): void {
  const path = join(cwd, file);
  mkdirSync(dirname(path), { recursive: true });
  if (language !== "diff") return writeFileSync(path, text);
  const lines = (marks: RegExp): string =>
    text
      .split(/(?<=\n)/)
      .flatMap((line) => (marks.test(line) ? [line.slice(1)] : []))
      .join("");
  const before = readFileSync(path, "utf8");
  expect(before.split(lines(/^[ -]/)), `${place} does not fit the file`).toHaveLength(2);
  writeFileSync(
    path,
    before.replace(lines(/^[ -]/), () => lines(/^[ +]/)),
  );
}

/**
 * Does what a page says, from top to bottom, in a folder: writes and changes the files that it shows, and runs the lines
 * of its `console` blocks. Expects what the page shows; `-u` writes what was printed into the page.
 */
export async function followPage(page: string, { cwd, env = {} }: Pick<World, "cwd"> & Partial<World>): Promise<void> {
  const markdown = readPage(page);
  let followed = "";
  let end = 0;
  for (const block of blocksOf(page)) {
    if ("file" in block.attributes) writeFile(block, cwd);
    if (block.language !== "console") continue;
    followed += markdown.slice(end, block.start) + (await followBlock(block, { cwd, env }));
    end = block.end;
  }
  await expect(followed + markdown.slice(end)).toMatchFileSnapshot(join(repository, page));
}
