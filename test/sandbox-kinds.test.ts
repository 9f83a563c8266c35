import { chmodSync, existsSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { findStarter } from "./support/find-starter.js";
import { readHtmlReport } from "./support/read-html-report.js";
import { runCli } from "./support/run-cli.js";
import { noteMissing, sandboxesHere } from "./support/sandboxes.js";
import { startCli } from "./support/start-cli.js";
import { runInWorkspace, workspaceConfig, type ScriptedCall } from "./support/workspace-run.js";

const run = (cmd: string): ScriptedCall => ({ tool: "bash_run", args: { cmd } });
const here = await sandboxesHere();
const failing = workspaceConfig({ calls: [run("echo still")], assert: [{ type: "contains", value: "no" }] });
const reporters = ["pretty", "json=r.json", "markdown=r.md", "html=r.html"];
const everyReporter = [...reporters.flatMap((one) => ["--reporter", one]), "--events", "e.jsonl"];

describe("a run on a machine that cannot have every kind of sandbox", () => {
  it.for([
    [
      "unshare",
      ["bwrap"],
      "The sandbox of workspaces does not keep files apart",
      "commands ran in a sandbox that does not keep files apart",
    ],
    [
      "none",
      ["bwrap", "unshare"],
      "The commands of workspaces ran without a sandbox",
      "commands ran without a sandbox",
    ],
  ] as const)("warns if the machine can have only %s", async ([name, broken, warning, remark], { annotate }) => {
    if (name === "unshare" && !here.has(name)) return noteMissing(here, "the warning", { annotate });
    const script = (program: string): string => `#!/bin/sh\necho '${program}: no permission' >&2\nexit 1\n`;
    const programs = makeProject(Object.fromEntries(broken.map((program) => [program, script(program)])));
    for (const program of broken) chmodSync(path.join(programs, program), 0o755);
    const cwd = makeProject({ "kindlm.yaml": failing });
    const PATH = `${programs}:${process.env["PATH"] ?? ""}`;
    const ran = await runCli(["test", ...everyReporter], { cwd, env: { PATH } });
    const reasons = broken.map((program) => `${program}: no permission`).join("; ");
    expect(ran.stdout + ran.stderr).toContain(warning);
    expect(ran.stdout + ran.stderr).toContain(`: ${reasons}\n`);
    expect(ran.stdout).toContain(`files   ${remark}\n`);
    expect((await runCli(["show", "1"], { cwd })).stdout).toContain(remark);
    expect(readFileSync(path.join(cwd, "r.md"), "utf8")).toContain(`Files: ${remark}\n`);
    const page = readHtmlReport(readFileSync(path.join(cwd, "r.html"), "utf8"));
    expect(page.find("test").detail.trials[0]?.files?.remarks).toEqual([remark]);
    expect(readFileSync(path.join(cwd, "r.json"), "utf8")).toContain("still\\n");
    expect(readFileSync(path.join(cwd, "e.jsonl"), "utf8")).toContain(`"phase":"sandbox","message":"${warning}`);
  });

  it("says nothing of one that keeps everything apart", async ({ annotate }) => {
    if (!here.has("bwrap")) return noteMissing(here, "silence", { annotate });
    const cwd = makeProject({ "kindlm.yaml": failing });
    const { stdout, stderr } = await runCli(["test", ...everyReporter], { cwd });
    const files = ["r.md", "r.html", "e.jsonl"].map((name) => readFileSync(path.join(cwd, name), "utf8"));
    expect([stdout, stderr, ...files].join("\n")).not.toMatch(/commands ran|keep files apart|phase":"sandbox/);
  });

  it("ends a command with an error if its sandbox cannot be made any longer", async ({ annotate }) => {
    if (!here.has("bwrap")) return noteMissing(here, "a sandbox that fails late", { annotate });
    // Two starts try it out, and two are for the first command.
    const tiring = `#!/bin/sh
echo >> "$0.starts"
[ $(wc -l < "$0.starts") -le 4 ] || { echo 'bwrap: too many' >&2; exit 1; }
PATH=\${PATH#*:} exec bwrap "$@"
`;
    const programs = makeProject({ bwrap: tiring });
    chmodSync(path.join(programs, "bwrap"), 0o755);
    const env = { PATH: `${programs}:${process.env["PATH"] ?? ""}` };
    const { trial } = await runInWorkspace({ calls: [run("echo made"), run("echo made")], env });
    expect(trial.toolCalls).toMatchObject([
      { result: { ok: true, stdout: "made\n" }, error: null },
      { error: { errorType: "runtime", message: "Could not start the sandbox: bwrap: too many" } },
    ]);
  });

  it("has one of unshare if the superuser alone can make one", async ({ annotate }) => {
    // Nobody can make users in it. The setting belongs to those users alone.
    const bare =
      '[ $(readlink /proc/self/ns/user) != $1 ] && shift && echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"';
    const outer = existsSync("/proc/self/ns/user") ? readlinkSync("/proc/self/ns/user") : "";
    const through = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", bare, "sh", outer];
    const starter = findStarter([through], ["unshare", "--pid", "--net", "--fork", "--mount-proc", "true"]);
    if (starter === null) return void (await annotate("a sandbox of the superuser, without namespaces", "untested"));
    const calls = [run("PATH=$PATH:/sbin ip link; ls -d /proc/[0-9]*; grep -E '^Cap...:' /proc/self/status")];
    const cwd = makeProject({ "kindlm.yaml": workspaceConfig({ calls }) });
    const { stdout } = await startCli(["test", "--no-journal", "--reporter", "json"], { cwd, through: starter })
      .finished;
    expect(stdout).toContain('"sandbox":"unshare"');
    expect(stdout).toContain("1: lo: <LOOPBACK,UP,LOWER_UP>");
    expect(stdout).toMatch(/\\n(Cap...:\\t0+\\n){5}"/);
    expect(stdout).not.toContain(`/proc/${process.pid}`);
  });
});
