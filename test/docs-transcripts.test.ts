import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { followPage } from "./support/console-blocks.js";
import { blocksOf } from "./support/docs/pages.js";
import { repository, runCli } from "./support/run-cli.js";

const pageOf = (name: string): string => readFileSync(join(repository, "docs", name), "utf8");

const followed = ["custom-checks.md", "faults.md", "permissions.md", "target-command.md", "workspaces.md"];

it.each(followed)("docs/%s shows what its example prints", async (page) => {
  const files = blocksOf(`docs/${page}`).flatMap(({ attributes: { file }, text }) => (file ? [[file, text]] : []));
  await followPage(pageOf(page), { cwd: makeProject(Object.fromEntries(files)) });
});

it("docs/baselines.md shows what happens when the agent gets worse", async () => {
  const cwd = makeProject({});
  await runCli(["init", "--yes"], { cwd });
  // The agent changes once its baseline is set.
  const [before = "", ...after] = pageOf("baselines.md").split(/(?<=baseline set\n[^]*?)^```$/m);
  await followPage(`${before}\n\`\`\``, { cwd });
  const script = join(cwd, "scripts/order-agent.yaml");
  const asking = "{ text: Shall I really cancel order ORD-1? }";
  const hasty = "{ tool_calls: [{ tool: cancel_order, args: { order_id: ORD-1 } }] }";
  writeFileSync(script, readFileSync(script, "utf8").replace(asking, hasty));
  await followPage(after.join("```"), { cwd });
});
