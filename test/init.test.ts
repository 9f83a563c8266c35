import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { templates } from "../packages/cli/src/commands/init/templates.js";
import { runCli } from "./support/run-cli.js";

it.each(templates)(
  "the template $name is valid and passes offline at once, and fails after the mistake that it names",
  async ({ name, mistake: { file, from, to } }) => {
    const cwd = makeProject({});
    const made = await runCli(["init", "--template", name], { cwd });
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(made.stdout).toContain(`See a test fail. In ${file}, replace\n  ${from}\nwith\n  ${to}\n`);
    expect(await runCli(["validate"], { cwd })).toMatchObject({ code: 0, stderr: "" });
    const passed = await runCli(["test"], { cwd });
    expect(passed, passed.stdout).toMatchObject({ code: 0 });
    expect(passed.stdout).toContain("Summary: 2 passed, 0 failed, 0 errored, 0 skipped\n");
    const good = readFileSync(join(cwd, file), "utf8");
    expect(good.split(from)).toHaveLength(2);
    writeFileSync(join(cwd, file), good.replace(from, to));
    const failed = await runCli(["test"], { cwd });
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(/^Summary: \d passed, [12] failed, 0 errored, 0 skipped$/m);
    expect((await runCli(["test", "--vacuity"], { cwd })).stdout).not.toContain("Vacuous:");
  },
);
