import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "vitest";
import { runCli } from "./run-cli.js";

/** One line of a `console` block that starts with `$ `, with what the page shows below it. */
interface Step {
  line: string;
  shown: string;
}

const ofKindlm = /^(?:npx )?kindlm /;

function stepsOf(markdown: string): readonly Step[] {
  return [...markdown.matchAll(/```console\n([^]*?)```/g)].flatMap(([, block = ""]) =>
    block
      .split(/^\$ /m)
      .filter((part) => part !== "")
      .map((part) => {
        const [line = "", ...shown] = part.split("\n");
        return { line, shown: shown.join("\n") };
      }),
  );
}

/** What may differ from run to run: durations, and the words by which KindLM was started. */
const varying = /\b\d+(?:\.\d+)? (?:ms|s|min)\b|…/g;

/** The output as shown, where `…` is anything and every duration is any duration. */
function patternOf(shown: string): RegExp {
  const parts = shown.split(varying).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  const between = [...shown.matchAll(varying)].map(([mark]) =>
    mark === "…" ? "[^]*?" : String.raw`\d+(?:\.\d+)? (?:ms|s|min)`,
  );
  const source = parts.map((part, index) => `${part}${between[index] ?? ""}`).join("");
  // What is at the right margin moves with the length of a duration.
  return new RegExp(`^${source.replaceAll(/ {2,}/g, " {2,}")}$`);
}

/** How a step is run that is not one of KindLM. Null: it is not run. */
export type RunOther = (line: string) => Promise<void> | null;

/** Runs a line in a shell, in a folder. Its output is not compared. */
export const inShell =
  (cwd: string): RunOther =>
  async (line) =>
    void (await promisify(execFile)("sh", ["-c", line], { cwd }));

/**
 * Runs the console blocks of a page in order, in a folder, and expects what the page shows: KindLM in this process, and
 * the rest as `runOther` says.
 */
export async function followPage(
  markdown: string,
  {
    cwd,
    env = {},
    runOther = () => null,
  }: { cwd: string; env?: Readonly<Record<string, string>>; runOther?: RunOther },
): Promise<number> {
  const steps = stepsOf(markdown);
  expect(steps).not.toEqual([]);
  for (const { line, shown } of steps) {
    if (!ofKindlm.test(line)) {
      await runOther(line);
      continue;
    }
    const words = line.replace(ofKindlm, "").split(" ");
    const { stdout } = await runCli(words, { cwd, env: { COLUMNS: "80", ...env } });
    expect(stdout, line).toMatch(patternOf(shown));
  }
  return steps.length;
}
