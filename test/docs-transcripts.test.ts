import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { repository, runCli } from "./support/run-cli.js";

interface Step {
  words: readonly string[];
  /** What the page shows; `…` is anything. */
  shown: string;
}

/** The commands of a page with what they print. Only those of KindLM are run. */
function stepsOf(page: string): readonly Step[] {
  const text = readFileSync(join(repository, "docs", page), "utf8");
  return [...text.matchAll(/```console\n([^]*?)```/g)].flatMap(([, block = ""]) =>
    block
      .split(/^\$ /m)
      .filter((part) => part.startsWith("kindlm "))
      .map((part) => {
        const [line = "", ...shown] = part.split("\n");
        return { words: line.split(" ").slice(1), shown: shown.join("\n") };
      }),
  );
}

function patternOf(shown: string): RegExp {
  const parts = shown.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join("[^]*?")}$`);
}

async function follow(cwd: string, steps: readonly Step[]): Promise<void> {
  expect(steps).not.toEqual([]);
  for (const { words, shown } of steps) {
    const { stdout } = await runCli(words, { cwd, env: { COLUMNS: "80" } });
    expect(stdout, words.join(" ")).toMatch(patternOf(shown));
  }
}

it.each(["faults.md", "permissions.md"])("docs/%s shows what its example prints", async (page) => {
  const text = readFileSync(join(repository, "docs", page), "utf8");
  const [, config = ""] = /```yaml\n(version: 1\n[^]*?)```/.exec(text) ?? [""];
  await follow(makeProject({ "kindlm.yaml": config }), stepsOf(page));
});

it("docs/baselines.md shows what happens when the agent gets worse", async () => {
  const cwd = makeProject({});
  await runCli(["init", "--yes"], { cwd });
  const steps = stepsOf("baselines.md");
  const isSet = steps.findIndex(({ words }) => words.join(" ") === "baseline set") + 1;
  await follow(cwd, steps.slice(0, isSet));
  const script = join(cwd, "scripts/order-agent.yaml");
  const asking = "{ text: Shall I really cancel order ORD-1? }";
  const hasty = "{ tool_calls: [{ tool: cancel_order, args: { order_id: ORD-1 } }] }";
  writeFileSync(script, readFileSync(script, "utf8").replace(asking, hasty));
  await follow(cwd, steps.slice(isSet));
});
