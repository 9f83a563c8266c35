import { chmodSync, existsSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { findStarter } from "./support/find-starter.js";
import { runCli } from "./support/run-cli.js";
import { noteMissing, sandboxesHere } from "./support/sandboxes.js";
import { startCli } from "./support/start-cli.js";
import { workspaceConfig, type ScriptedCall } from "./support/workspace-run.js";

const run = (cmd: string): ScriptedCall => ({ tool: "bash_run", args: { cmd } });
const here = await sandboxesHere();

describe("a run on a machine that cannot have every kind of sandbox", () => {
  it.for([
    ["unshare", ["bwrap"], "The sandbox of workspaces does not keep files apart", "that does not keep files apart"],
    [
      "none",
      ["bwrap", "unshare"],
      "The commands of workspaces ran without a sandbox",
      "its commands ran without a sandbox",
    ],
  ] as const)("warns if the machine can have only %s", async ([name, broken, warning, remark], { annotate }) => {
    if (name === "unshare" && !here.has(name)) return noteMissing(here, "the warning", { annotate });
    const script = (program: string): string => `#!/bin/sh\necho '${program}: no permission' >&2\nexit 1\n`;
    const programs = makeProject(Object.fromEntries(broken.map((program) => [program, script(program)])));
    for (const program of broken) chmodSync(path.join(programs, program), 0o755);
    const calls = [run("echo still")];
    const cwd = makeProject({ "kindlm.yaml": workspaceConfig({ calls, assert: [{ type: "contains", value: "no" }] }) });
    const PATH = `${programs}:${process.env["PATH"] ?? ""}`;
    const args = ["--reporter", "pretty", "--reporter", "json=r.json", "--events", "e.jsonl"];
    const ran = await runCli(["test", ...args], { cwd, env: { PATH } });
    const reasons = broken.map((program) => `${program}: no permission`).join("; ");
    expect(ran.stdout + ran.stderr).toContain(warning);
    expect(ran.stdout + ran.stderr).toContain(`: ${reasons}\n`);
    expect(ran.stdout).toContain(remark);
    expect(readFileSync(path.join(cwd, "r.json"), "utf8")).toContain("still\\n");
    expect(readFileSync(path.join(cwd, "e.jsonl"), "utf8")).toContain(`"phase":"sandbox","message":"${warning}`);
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
