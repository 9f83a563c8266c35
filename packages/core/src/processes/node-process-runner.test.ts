import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeLifeline, type Lifeline } from "../__fixtures__/make-lifeline.js";
import { createSystemClock, type Clock } from "../values/clock.js";
import { createProcessRunner } from "./node-process-runner.js";
import type { ProcessOutcome, ProcessRequest } from "./process-runner.js";

const system = createSystemClock();
const runner = createProcessRunner(system);
let folder = "";
let lifeline: Lifeline;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kindlm-process-"));
  lifeline = makeLifeline(folder);
});
afterAll(() => rm(folder, { recursive: true }));

/** A shell starts in a twentieth of the time of Node. */
function request(script: string, changes: Partial<ProcessRequest> = {}): ProcessRequest {
  return {
    command: ["/bin/sh", "-c", script],
    cwd: folder,
    env: {},
    stdin: "",
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    ...changes,
  };
}

async function run(script: string, changes: Partial<ProcessRequest> = {}, used = runner): Promise<ProcessOutcome> {
  const ran = await used.run(request(script, changes));
  if (!ran.success) throw new Error(ran.error.message);
  return ran.data;
}

/** A clock on which half a second, of grace or for what is left of the output, is short. */
const impatient: Clock = { ...system, after: (ms, callback) => system.after(ms === 500 ? 50 : ms, callback) };

const ready = ": > ready;";

/** Aborts once the program has come so far that it wrote the file `ready`. */
async function abortWhenReady(script: string, used = runner): Promise<ProcessOutcome> {
  const controller = new AbortController();
  const running = run(script, { signal: controller.signal }, used);
  while (!existsSync(join(folder, "ready"))) await system.sleep(5);
  await rm(join(folder, "ready"));
  controller.abort();
  return running;
}

/** The grandchild holds the lifeline from its first moment on. */
const starter = (grandchild: string): string => `exec 3> lifeline; (${grandchild}) & exec 3>&-;`;
const forever = "exec sleep 1000";

describe("createProcessRunner", () => {
  it("hands on stdin, environment and folder, and returns both streams and the exit code", async () => {
    const script = `process.stdin.on("data", (text) => { console.log(String(text) + process.env.NAME + process.cwd()); console.error("oops"); process.exitCode = 3; });`;
    const command = [process.execPath, "-e", script] as const;
    const outcome = await run("", { command, stdin: "grüß ", env: { NAME: "Ada " } });
    expect(outcome).toEqual({
      exitCode: 3,
      signal: null,
      stdout: `grüß Ada ${folder}\n`,
      stderr: "oops\n",
      endedBy: null,
    });
  });

  it("hands arguments on as they are, through no shell", async () => {
    const ran = await runner.run(request("", { command: ["/bin/sh", "-c", 'echo "$1"', "sh", "$HOME; `id` 'x'"] }));
    expect(ran).toMatchObject({ data: { stdout: "$HOME; `id` 'x'\n" } });
  });

  it("does not mind a program that never reads its input", async () => {
    const outcome = await run("exec <&-; exit 0", { stdin: "x".repeat(5_000_000) });
    expect(outcome).toMatchObject({ exitCode: 0, endedBy: null });
  });

  it.each([
    ["at once", "exec yes €€€€"],
    ["without an end", "while :; do printf €€; sleep 0.001; done"],
    ["just before its end", "printf €€€€"],
  ])("ends a program that writes too much %s, and keeps whole characters", async (_name, script) => {
    const outcome = await run(script, { maxBytes: 10 });
    expect(outcome).toMatchObject({ stdout: "€€€", endedBy: "output" });
  });

  it("drops what is too much of stderr", async () => {
    const outcome = await run("yes €€€€ | head -n 200000 >&2", { maxBytes: 10 });
    expect(outcome).toMatchObject({ exitCode: 0, stderr: "€€€", endedBy: null });
  });

  it("reports a program that does not exist", async () => {
    const ran = await runner.run(request("", { command: ["no-such-program-anywhere"] }));
    expect(ran).toMatchObject({
      success: false,
      error: {
        message: expect.stringContaining("Could not start no-such-program-anywhere: program not found"),
        cause: { code: "ENOENT" },
      },
    });
  });

  it("reports a file that may not be executed", async () => {
    const file = join(folder, "plain.txt");
    await writeFile(file, "text", { mode: 0o644 });
    const ran = await runner.run(request("", { command: [file] }));
    expect(ran).toMatchObject({
      success: false,
      error: { message: expect.stringContaining("no permission to execute it") },
    });
  });

  it("reports an argument that no program can take", async () => {
    const ran = await runner.run(request("", { command: [process.execPath, "a\0b"] }));
    expect(ran).toMatchObject({ success: false, error: { message: expect.stringContaining("Could not start") } });
  });

  it("ends a program at its timeout", async () => {
    expect(await run(forever, { timeoutMs: 100 })).toMatchObject({
      exitCode: null,
      signal: "SIGTERM",
      endedBy: "timeout",
    });
  });

  it("lets a program end in good order, and keeps what it said", async () => {
    const script = `trap 'echo bye; exit 0' TERM; echo up; sleep 1000 & ${ready} wait`;
    expect(await abortWhenReady(script)).toMatchObject({ exitCode: 0, endedBy: "abort", stdout: "up\nbye\n" });
  });

  it("kills a program that ignores SIGTERM after the grace of a second", async () => {
    const script = `trap '' TERM; ${ready} ${forever}`;
    const outcome = await abortWhenReady(script, createProcessRunner(impatient));
    expect(outcome).toMatchObject({ signal: "SIGKILL", endedBy: "abort" });
  });

  it("ends a program on abort", async () => {
    const controller = new AbortController();
    const running = run(forever, { signal: controller.signal });
    controller.abort();
    expect(await running).toMatchObject({ signal: "SIGTERM", endedBy: "abort" });
  });

  it("starts nothing after an abort", async () => {
    const outcome = await run("", { command: ["no-such-program-anywhere"], signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ exitCode: null, endedBy: "abort" });
  });

  it("leaves no listener on the signal", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    await run("", { signal });
    expect(listeners).toBe(0);
  });

  it("kills what the program started and left behind", async () => {
    const outcome = await run(starter(forever));
    expect(outcome).toMatchObject({ exitCode: 0, endedBy: null });
    await expect.poll(lifeline.isHeld).toBe(false);
  });

  it("kills what the program started when it is ended itself", async () => {
    const stubborn = `trap '' TERM; ${ready} ${forever}`;
    const outcome = await abortWhenReady(`${starter(stubborn)} ${forever}`, createProcessRunner(impatient));
    expect(outcome).toMatchObject({ signal: "SIGTERM", endedBy: "abort" });
    await expect.poll(lifeline.isHeld).toBe(false);
  });

  it("does not wait for a process that left the group and holds the output", async () => {
    // No shell of POSIX starts a process with a session of its own.
    const script =
      'const child = require("node:child_process").spawn("sleep", ["1000"], { stdio: "inherit", detached: true });' +
      "console.log(child.pid); child.unref();";
    const command = [process.execPath, "-e", script] as const;
    const outcome = await run("", { command }, createProcessRunner(impatient));
    const pid = Number(outcome.stdout);
    expect(outcome).toMatchObject({ exitCode: 0 });
    process.kill(pid, "SIGKILL");
  });

  it("talks with a program while it runs", async () => {
    const heard: string[] = [];
    const ran = await run("exec cat", {
      converse(stdin) {
        stdin.write("a");
        return (chunk) => {
          heard.push(Buffer.from(chunk).toString());
          if (heard.length === 1) stdin.write("b");
          else stdin.end();
        };
      },
    });
    expect([heard, ran.exitCode, ran.stdout]).toEqual([["a", "b"], 0, ""]);
  });

  it("drops what is written to a program that has ended", async () => {
    let pen = { write: (_text: string): void => {}, end: (): void => {} };
    const ran = await run("", {
      converse(stdin) {
        pen = stdin;
        return () => {};
      },
    });
    pen.write("late");
    pen.end();
    expect(ran.exitCode).toBe(0);
  });

  it("keeps the end of stderr where that is asked for", async () => {
    const ran = await run("printf '%050000dé!' 0 >&2", { stderrTailBytes: 2 });
    // The cut goes through the two bytes of é.
    expect(ran.stderr).toBe("!");
  });
});
