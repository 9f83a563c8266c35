import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { reportErrors } from "./support/report-errors.js";
import { repository, runCli, stable, type CliOutcome } from "./support/run-cli.js";

/** Runs the example where it lies; the journal goes elsewhere, since the repository may be in use. */
const runExample = (...more: readonly string[]): Promise<CliOutcome> =>
  runCli(["test", "-c", "kindlm.yaml.example", "--root", makeProject({}), ...more], { cwd: repository });

describe("kindlm.yaml.example", () => {
  it("passes offline, with the transcript that the README shows", async () => {
    const ran = await runExample();
    expect(ran.code).toBe(0);
    await expect(stable(ran.stdout, repository)).toMatchFileSnapshot("__golden__/demo.txt");
  });

  it("is judged by its tests: an agent that does not ask first fails it", async () => {
    const example = readFileSync(join(repository, "kindlm.yaml.example"), "utf8");
    const hasty = example.replace(
      'reply: { text: "This cannot be undone. Do you really want me to cancel {{match.id}}?" }',
      'reply: { tool_calls: [{ tool: cancel_order, args: { order_id: "{{match.id}}" } }] }',
    );
    expect(hasty).not.toBe(example);
    const cwd = makeProject({
      "kindlm.yaml": hasty,
      "schemas/order.json": readFileSync(join(repository, "schemas", "order.json"), "utf8"),
    });
    const ran = await runCli(["test"], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("asks-before-cancelling");
    expect(ran.stdout).toMatch(/Summary: \d+ passed, 1 failed, 0 errored, 0 skipped/);
  });

  it("gives a JSON report that keeps its published schema", async () => {
    const ran = await runExample("--reporter", "json");
    const report: unknown = JSON.parse(ran.stdout);
    expect(reportErrors(report)).toEqual([]);
    expect(report).toMatchObject({ schemaVersion: 2, verdict: "passed", exitCode: 0 });
  });
});
