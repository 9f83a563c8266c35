import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { followPage } from "./support/console-blocks.js";
import { repository, runCli } from "./support/run-cli.js";

const pageOf = (name: string): string => readFileSync(join(repository, "docs", name), "utf8");

it.each(["faults.md", "permissions.md"])("docs/%s shows what its example prints", async (page) => {
  const text = pageOf(page);
  const [, config = ""] = /```yaml file=.*\n(version: 1\n[^]*?)```/.exec(text) ?? [""];
  await followPage(text, { cwd: makeProject({ "kindlm.yaml": config }) });
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
