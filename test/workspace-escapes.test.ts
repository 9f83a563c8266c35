import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { afterFile } from "../packages/core/src/__fixtures__/clean-up.js";
import { draws } from "../packages/core/src/__fixtures__/draws.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { findStarter } from "./support/find-starter.js";
import { noteMissing, sandboxesHere } from "./support/sandboxes.js";
import { runCli } from "./support/run-cli.js";
import { startCli } from "./support/start-cli.js";
import {
  runInWorkspace,
  workspaceConfig,
  type ReportedTrial,
  type ScriptedCall,
  type WorkspaceRun,
} from "./support/workspace-run.js";

interface Ran {
  ok: boolean;
  exit_code: number | null;
  stdout: string;
  stderr: string;
}

const run = (cmd: string, more = {}): ScriptedCall => ({ tool: "bash_run", args: { cmd, ...more } });
const read = (file: string): ScriptedCall => ({ tool: "fs_read", args: { path: file } });
const write = (file: string): ScriptedCall => ({ tool: "fs_write", args: { path: file, content: "escaped" } });

/** Somebody's files, which no agent may see or change. */
const outside = makeProject({ "secret.txt": "TOP SECRET", "folder/kept.txt": "kept" });
const secret = path.join(outside, "secret.txt");
const env = {
  API_TOKEN: "top-secret-token",
  TMPDIR: makeProject({}),
  HOME: outside,
  PATH: `${process.env["PATH"] ?? ""}:${outside}`,
};

async function attack(
  calls: WorkspaceRun["calls"],
  workspace: object = {},
  more: Pick<WorkspaceRun, "env"> = {},
): Promise<ReportedTrial> {
  const { trial } = await runInWorkspace({
    calls,
    workspace,
    env: { ...env, ...more.env },
    suite: { limits: { max_turns: 40, max_tool_calls: 200 } },
  });
  expect(trial.error).toBeNull();
  return trial;
}

const ranOf = ({ toolCalls }: ReportedTrial): readonly Ran[] => toolCalls.map(({ result }) => result as Ran);

/** Puts a folder and a link to one outside in the place of each other as fast as it can, until it is killed. */
const swapping = `exec ${process.execPath} -e '
const fs = require("fs");
const attempt = (action) => { try { action(); } catch {} };
fs.writeFileSync("ready", "");
for (;;) {
  attempt(() => fs.mkdirSync("d"));
  attempt(() => fs.rmSync("d", { recursive: true }));
  attempt(() => fs.symlinkSync("${outside}/folder", "d"));
  attempt(() => fs.unlinkSync("d"));
}'`;

const waiting = run("until [ -e ready ]; do sleep 0.01; done");
const races = draws({ brief: 15, full: 50 });
const racing = Array.from({ length: races }, (_, index) => write(`d/escaped-${index}.txt`));

/** A server on the loopback interface of the machine. */
const server = createServer((socket) => void socket.end("reached"));
const port = await new Promise<number>((resolve) => {
  server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
});
afterFile(() => new Promise<void>((resolve) => void server.close(() => resolve())));

/** Attempts are made only where they are known to fail, and each one is harmless should it succeed. */
const here = await sandboxesHere();
const isSandboxed = here.has("bwrap");
/** Begins a line that would leave something in folders that are not the test's. */
const ifHidden = `[ ! -e ${outside} ] || exit 99; `;

const connect = (to: number): string => `exec 3<>/dev/tcp/127.0.0.1/${to} && cat <&3`;
const untested = (what: string): string => `${what}, without bubblewrap`;

describe("an agent in the sandbox", () => {
  it("neither sees nor changes what is outside, whatever paths and links it makes", async ({ annotate }) => {
    if (!isSandboxed) return void (await annotate(untested("escapes"), "untested"));
    const trial = await attack([
      run(`cat ${secret}; cat ../../../../../../..${secret}; ls ${outside}; ls -d ${env.TMPDIR}/*/*`),
      run(
        `echo x > ${secret}; echo x > ${outside}/new.txt; rm -rf ${outside}; for place in /etc /usr / /proc; do [ ! -w $place ] || echo $place; done; false`,
      ),
      run(
        `ln -s ${secret} link; cat link; ln -s ${outside} folder; ls folder/; ln ${secret} hard; ln /etc/hosts hosts`,
      ),
      [read("link"), read("folder/secret.txt"), write("folder/new.txt"), read("../home/../../x"), write("link")],
      run("env; cat /proc/1/environ /proc/self/environ /proc/*/environ | tr '\\0' '\\n'"),
      run(
        `cd -P /proc/1/root && ls .${outside}; cd -P /proc/1/cwd && pwd; ls -d /proc/[0-9]*; readlink /proc/self/fd/*`,
      ),
      run(`${ifHidden}cat /etc/shadow; ls /home /run /sys; mkdir m; mount -t tmpfs none m; mknod disk b 254 0`),
      // Written to by the superuser, the first one would run a program outside.
      run(
        "for place in sys/kernel/core_pattern sys/kernel/hostname sysrq-trigger; do [ ! -w /proc/$place ] || exit 1; done",
      ),
      run(`${ifHidden}echo kept > /tmp/a; echo kept > $HOME/b; echo shared > /dev/shm/c`),
      run("cat /tmp/a $HOME/b /dev/shm/c"),
    ]);
    const [reading, writing, linking, ...others] = ranOf(trial);
    expect(reading?.stdout).toMatch(/^\S*\/home\n\S*\/workspace\n$/);
    expect(writing).toMatchObject({ ok: false, stdout: "" });
    expect(linking).toMatchObject({ ok: false, stdout: "", stderr: expect.stringContaining("/etc/hosts") });
    expect(trial.toolCalls.slice(3, 8).map(({ error }) => error?.message)).toEqual(
      ["link", "folder/secret.txt", "folder/new.txt", "../home/../../x", "link"].map(
        (place) => `Path "${place}" is outside the workspace`,
      ),
    );
    const [environment, processes, system, kernel, made, kept] = others.slice(5);
    expect(environment?.stdout).toContain("HOME=");
    expect(JSON.stringify(environment)).not.toContain(env.API_TOKEN);
    expect(processes?.stdout).toMatch(
      /^\S*\/workspace\n\/proc\/1\n(\/proc\/\d\n)*(\/dev\/null\n|pipe:\S+\n|socket:\S+\n)+$/,
    );
    expect(processes?.stderr).toContain(outside);
    expect(system).toMatchObject({ ok: false, stdout: "" });
    expect([kernel, made]).toMatchObject([{ ok: true }, { ok: true }]);
    expect(kept).toMatchObject({ ok: true, stdout: "kept\nkept\nshared\n" });
    expect(readFileSync(secret, "utf8")).toBe("TOP SECRET");
    expect(readdirSync(outside)).toEqual(["folder", "secret.txt"]);
  });

  it("sees and signals no process but its own, has no capability that would lead to others, and no network but the one that its own commands share, unless it is allowed", async ({
    annotate,
  }) => {
    await noteMissing(here, "the network and other processes", { annotate });
    // Both are done with the mounts and users of a decoy.
    const uncover = "unshare --user --map-root-user --mount sh -c 'umount /proc; ls /proc'";
    const serve = `${process.execPath} -e 'require("net").createServer((s) => s.end("own")).listen(4567, "127.0.0.1", () => require("fs").writeFileSync("ready", ""))'`;
    const calls = [
      run(`ls -d /proc/[0-9]*; ls /proc/${process.pid}; kill -0 ${process.pid}`),
      run("grep -E '^(Cap...|NoNewPrivs):' /proc/self/status"),
      run(`${uncover} | grep -x ${process.pid}`),
      run("nsenter --target 1 --net true; nsenter --target 1 --pid true"),
      run(connect(port)),
      run(serve, { background: true }),
      waiting,
      run(connect(4567)),
    ];
    for (const [name, place] of here) {
      const [listed, rights, uncovered, entered, reached, , , own] = ranOf(await attack(calls, {}, place));
      expect(listed).toMatchObject({ ok: false, stdout: expect.stringMatching(/^\/proc\/1\n(\/proc\/\d\n)*$/) });
      expect(rights?.stdout).toMatch(/^(Cap...:\t0+\n){5}NoNewPrivs:\t1\n$/);
      expect(uncovered).toMatchObject({ ok: false, stdout: "" });
      expect(entered).toMatchObject({ ok: false });
      expect(reached).toMatchObject({ ok: false, stdout: "", stderr: expect.stringContaining("refused") });
      expect(own).toMatchObject({ ok: true, stdout: "own" });
      const allowed = await attack([run(connect(port))], { network: true }, place);
      expect(ranOf(allowed)).toMatchObject([{ ok: true, stdout: "reached" }]);
      expect(allowed.workspace).toMatchObject({ sandbox: name });
    }
  });
});

describe("a command assertion in the workspace", () => {
  it("runs in the sandbox, and finds a program that is named relative to the config", async ({ annotate }) => {
    if (!isSandboxed) return void (await annotate(untested("assertions"), "untested"));
    const check = `#!/bin/sh\n! cat ${secret} && ls given.txt\n`;
    // What a sandbox would say itself is not taken for that.
    const complaining = ["sh", "-c", "echo 'bwrap: no permission' >&2; exit 1"];
    const assert = [
      { type: "command", command: ["./check.sh"], cwd: "workspace" },
      { type: "command", command: complaining, cwd: "workspace", exit_code: 1 },
    ];
    const workspace = { files: { "given.txt": "x" } };
    const config = workspaceConfig({ calls: [run("true")], workspace, assert });
    const cwd = makeProject({ "check.sh": check, "kindlm.yaml": config });
    chmodSync(path.join(cwd, "check.sh"), 0o755);
    const { stdout } = await runCli(["test", "--reporter", "json"], { cwd });
    expect(stdout).toContain('"verdict": "passed"');
  });
});

describe("file tools", () => {
  it.for([true, false])(
    "write nothing through a link that is swapped with a folder (sandbox: %s)",
    async (sandbox, { annotate }) => {
      // No other name leads to a folder that is open.
      if (!existsSync("/proc/self/fd")) return void (await annotate("a swapped folder, without /proc", "untested"));
      const trial = await attack([run(swapping, { background: true }), waiting, racing], { sandbox });
      const outcomes = trial.toolCalls.slice(2).map(({ error }) => error === null);
      expect(outcomes).toHaveLength(races);
      expect(readdirSync(path.join(outside, "folder"))).toEqual(["kept.txt"]);
    },
  );

  it("refuse hard links to files outside, and read those within", async () => {
    const trial = await attack(
      [
        run(`ln ${secret} hard || ln -s ${secret} hard; echo own > a; ln a b; ln a $HOME/c`),
        [read("hard"), read("b"), { tool: "fs_grep", args: { pattern: "SECRET" } }],
      ],
      { sandbox: false },
    );
    expect(trial.toolCalls.slice(1).map(({ result, error }) => error?.message ?? result)).toMatchObject([
      'Path "hard" is outside the workspace',
      { content: "own\n" },
      { matches: [] },
    ]);
    expect(trial.workspace?.escapes).toContainEqual({ path: "hard", access: "read" });
  });
});

describe("what KindLM is started with", () => {
  /** Root may read every file, unless it is started without the capabilities to override permissions. */
  const closed = makeProject({ "closed.txt": "x" });
  chmodSync(path.join(closed, "closed.txt"), 0);
  const starter = findStarter(
    [[], ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]],
    ["test", "!", "-r", path.join(closed, "closed.txt")],
  );

  it("opens nothing to the sandbox, and files that nobody may read are neither hidden from the record nor left on the disk", async ({
    annotate,
  }) => {
    if (!isSandboxed) await annotate(untested("open files"), "untested");
    if (starter === null) await annotate("files without permissions, without setpriv", "untested");
    // Without a sandbox, the secret would be read.
    const reading = isSandboxed ? "cat <&90; ls /proc/self/fd/80/; " : "";
    const making = "mkdir -p closed/inner; echo a > closed/inner/a; echo b > b; chmod 0 b closed/inner closed";
    const cwd = makeProject({ "kindlm.yaml": workspaceConfig({ calls: [run(`${reading}${making}`)] }) });
    const temporary = makeProject({});
    // Node.js itself closes those with low numbers.
    const opening = ["bash", "-c", 'exec 90<"$1" 80<"$2"; shift 2; exec "$@"', "sh", secret, outside];
    const { stdout } = await startCli(["test", "--no-journal", "--reporter", "json"], {
      cwd,
      env: { TMPDIR: temporary },
      through: [...(starter ?? []), ...opening],
    }).finished;
    if (isSandboxed) expect(stdout).toContain("Not a directory");
    expect(stdout).not.toContain("TOP SECRET");
    expect(stdout).not.toContain("secret.txt");
    if (starter === null) return;
    expect(stdout).toContain('"path":"closed/inner/a","change":"added"');
    expect(stdout).toContain('"path":"b","change":"added"');
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe("a run without a sandbox", () => {
  it("says so, and commands still see no variable of KindLM", async () => {
    const trial = await attack([run("env")], { sandbox: false });
    expect(trial.workspace).toMatchObject({ sandbox: "none" });
    const [{ stdout }] = ranOf(trial) as [Ran];
    expect(stdout).not.toContain(env.API_TOKEN);
    const names = stdout.split("\n").map((line) => line.split("=")[0] ?? "");
    const ofShell = new Set(["", "_", "PWD", "SHLVL", "OLDPWD", "LANG"]);
    expect(names.filter((name) => !ofShell.has(name)).toSorted()).toEqual(["HOME", "KINDLM_PROCESS", "PATH", "TMPDIR"]);
  });
});
