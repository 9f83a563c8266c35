import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { attemptSync } from "../packages/core/src/errors/boundary.js";
import { noteMissing, sandboxesHere, type TestedSandbox } from "./support/sandboxes.js";
import { startCli } from "./support/start-cli.js";
import { runInWorkspace, workspaceConfig, type WorkspaceRun } from "./support/workspace-run.js";

/** Elsewhere only the process group of a command ends with it. */
const showsEnvironments = existsSync("/proc/self/environ");
const here = await sandboxesHere();

type Place = TestedSandbox | "none";
const names: readonly Place[] = ["bwrap", "unshare", "none"];
const placeOf = (name: Place): Partial<WorkspaceRun> =>
  name === "none" ? { workspace: { sandbox: false } } : (here.get(name) ?? {});

/** What cannot be tested with commands that run like this; null if all can. */
function untestedIn(name: Place): string | null {
  if (!showsEnvironments) return "processes that leave their group, without /proc";
  return name === "none" || here.has(name) ? null : `processes that are left behind, without a sandbox of ${name}`;
}

/** The ids of the living processes of this machine that have the word in their environment. */
function processesWith(word: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    const read = attemptSync(
      () => readFileSync(`/proc/${name}/environ`, "latin1"),
      () => null,
    );
    return read.success && read.data.includes(word);
  });
}

/**
 * A shell line that leaves processes behind in every way that a shell knows, each with the word in its environment; in a
 * sandbox also one that has nothing else there. They end by themselves should nobody end them.
 */
function leaving(word: string, name: Place): string {
  const program = `sh -c 'echo $$ >> "$1"; exec sleep 60' stay`;
  const stay = `env WORD=${word} ${program}`;
  return [
    `nohup ${stay} nohup >/dev/null 2>&1 &`,
    `setsid ${stay} setsid >/dev/null 2>&1 &`,
    `( ( setsid nohup ${stay} forked >/dev/null 2>&1 & ) & )`,
    name === "none"
      ? "echo > bare"
      : `env -i PATH="$PATH" WORD=${word} setsid ${program} bare < /dev/null >/dev/null 2>&1 &`,
    "until [ -s nohup ] && [ -s setsid ] && [ -s forked ] && [ -s bare ]; do sleep 0.01; done",
  ].join("\n");
}

describe.concurrent("a process that is left behind", () => {
  it.for(names)("by a command ends with it, or with the trial (sandbox: %s)", async (name, { annotate }) => {
    const untested = untestedIn(name);
    if (untested !== null) return void (await annotate(untested, "untested"));
    const word = randomUUID();
    const looking = `grep -lsa WORD=${word} /proc/[0-9]*/environ | wc -l`;
    const left = "rm nohup setsid forked bare";
    const { trial } = await runInWorkspace({
      ...placeOf(name),
      tools: ["*", { name: "count_outside", command: ["sh", "-c", looking] }],
      calls: [
        { tool: "bash_run", args: { cmd: leaving(word, name) } },
        { tool: "count_outside", args: {} },
        { tool: "bash_run", args: { cmd: `${left}; ${leaving(word, name)}\nmkfifo wait; cat wait`, background: true } },
        { tool: "bash_run", args: { cmd: "until [ -p wait ]; do sleep 0.01; done" } },
      ],
      assert: [{ type: "command", command: ["sh", "-c", `${left}; ${leaving(word, name)}`], cwd: "workspace" }],
    });
    expect(trial).toMatchObject({ status: "passed", workspace: { sandbox: name } });
    expect(trial.toolCalls.map(({ result }) => result)).toMatchObject([{ ok: true }, 0, { ok: true }, { ok: true }]);
    expect(processesWith(word)).toEqual([]);
  });

  it("by a trial that runs out of time ends with it", async ({ annotate }) => {
    const tested = names.filter((name) => untestedIn(name) === null);
    for (const name of names) {
      const untested = untestedIn(name);
      if (untested !== null) await annotate(untested, "untested");
    }
    const word = randomUUID();
    const trials = tested.map((name) =>
      runInWorkspace({
        ...placeOf(name),
        calls: [
          { tool: "bash_run", args: { cmd: `${leaving(word, name)}\nsleep 60`, background: true } },
          { tool: "bash_run", args: { cmd: `until [ -s forked ]; do sleep 0.01; done; WORD=${word} sleep 60` } },
        ],
        suite: { timeouts: { trial: "700ms" } },
      }),
    );
    for (const { trial } of await Promise.all(trials))
      expect(trial).toMatchObject({ error: { code: "ENGINE_TIMEOUT" } });
    if (showsEnvironments) expect(processesWith(word)).toEqual([]);
  });

  it("by a program under test ends with it", async ({ annotate }) => {
    const untested = untestedIn("none");
    if (untested !== null) return void (await annotate(untested, "untested"));
    const word = randomUUID();
    const target = { command: `${leaving(word, "none")}\necho Done`, shell: true };
    const { trial } = await runInWorkspace({ calls: [], tools: [], suite: { target } });
    expect(trial).toMatchObject({ status: "passed", workspace: { changes: [{}, {}, {}, {}] } });
    expect(processesWith(word)).toEqual([]);
  });

  it("in a sandbox ends with KindLM, should that be killed", async ({ annotate }) => {
    await noteMissing(here, "a killed run", { annotate });
    const runs = [...here.values()].map(async (place) => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const stay = `exec 3<>/dev/tcp/127.0.0.1/${port}; env -i setsid sleep 60 & wait`;
      const calls = [{ tool: "bash_run", args: { cmd: stay } }];
      const cwd = makeProject({ "kindlm.yaml": workspaceConfig({ calls, workspace: { network: true } }) });
      const { child, finished } = startCli(["test", "--no-journal"], { cwd, ...place });
      const [socket] = (await once(server, "connection")) as [Socket];
      child.kill("SIGKILL");
      // It is open as long as one of the processes is there.
      await once(socket.resume(), "close");
      server.close();
      await finished;
    });
    await Promise.all(runs);
  });
});
