import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { openTerminal } from "../packages/cli/src/__fixtures__/headless-terminal.js";
import { afterFile } from "../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { createManualClock } from "../packages/core/src/__fixtures__/manual-clock.js";
import { repository, runCli } from "./support/run-cli.js";
import { briefly, cliPath } from "./support/start-cli.js";
import { until } from "./support/until.js";
import { whileAdvancing } from "./support/while-advancing.js";

const assertion = "assert: [{ type: contains, value: hello }]";
const config = `version: 1
models:
  - id: gpt
    provider: scripted
    script:
      rules:
        - { when: { user: { $contains: bad } }, reply: { delay: 500ms, text: Goodbye } }
        - { when: { user: { $contains: down } }, reply: { delay: 500ms, error: { status: 401 } } }
      otherwise: { delay: 3s, text: hello }
suites:
  - name: refunds
    tests:
      - { name: good, runs: 3, input: hi, ${assertion} }
      - { name: bad, runs: 2, input: bad, ${assertion} }
      - { name: down, input: down, ${assertion} }
`;
const env = { TERM: "xterm-256color" };
const count = (text: string, part: string): number => text.split(part).length - 1;

describe("a run in a terminal", () => {
  it("shows failures as they happen, then the report, and nothing of the live region is left", async () => {
    const cwd = makeProject({ "kindlm.yaml": config });
    const terminal = openTerminal(80, 24);
    const clock = createManualClock({ start: Date.now() });
    const seen: (readonly string[])[] = [];
    const running = runCli(["test", "--concurrency", "4"], { cwd, env, clock, terminal });
    const watching = setInterval(() => void terminal.lines().then((lines) => seen.push(lines)), 5);
    const ran = await whileAdvancing(clock, 50, running);
    clearInterval(watching);
    expect(ran.code).toBe(1);
    const waiting = seen.find((lines) => lines.some((line) => / refunds\/good@gpt #\d +turn 1 · gpt$/.test(line)));
    expect(waiting?.join("\n")).toMatch(/^━*╸?─* {2}\d\/6/m);
    const lines = await terminal.lines();
    expect(lines.slice(0, 3).toSorted()).toEqual([
      expect.stringMatching(/^! refunds\/down@gpt +\S/),
      expect.stringMatching(/^Run$/),
      expect.stringMatching(/^✗ refunds\/bad@gpt +0 of 2 +the answer does not contain "hello"$/),
    ]);
    expect(lines.filter((line) => /[━─]{5}|#\d/.test(line))).toEqual([]);
    expect(await terminal.cursor()).toMatchObject({ isVisible: true });
    const text = terminal.writes.join("");
    expect([count(text, "\u001b[?2026h"), count(text, "\u001b[?25l")]).toEqual([count(text, "\u001b[?2026l"), 1]);
  });

  it("is interrupted without a trace of it", async () => {
    const cwd = makeProject({ "kindlm.yaml": config });
    const terminal = openTerminal(80, 24);
    const clock = createManualClock({ start: Date.now() });
    const interrupt = new AbortController();
    const running = runCli(["test"], { cwd, env, clock, terminal, interrupt: interrupt.signal });
    const watching = setInterval(() => {
      if (terminal.writes.length > 3) interrupt.abort();
    }, 5);
    const ran = await whileAdvancing(clock, 50, running);
    clearInterval(watching);
    expect(ran.code).toBe(1);
    const lines = await terminal.lines();
    expect(lines.filter((line) => /[━─]{5}|#\d/.test(line))).toEqual([]);
    expect(lines.at(-1)).toMatch(/--resume --run/);
    expect(await terminal.cursor()).toMatchObject({ isVisible: true });
  });
});

/** util-linux is part of every Linux; the `script` of other systems takes other options. */
const hasScript = String(spawnSync("script", ["--version"]).stdout ?? "").includes("util-linux");

/** Starts the built program in a terminal of its own, and resolves when the live region is there. */
async function startInTerminal(preload = ""): Promise<{
  cwd: string;
  text(): string;
  press(keys: string): void;
  ended: Promise<number | null>;
}> {
  const cwd = makeProject({ "kindlm.yaml": config.replace("3s", "60s"), "preload.mjs": preload });
  const preloading = ["--import", pathToFileURL(join(cwd, "preload.mjs")).href];
  const words = [process.execPath, ...briefly, ...preloading, cliPath, "test"];
  const command = `stty rows 24 cols 80; exec ${words.map((word) => `'${word}'`).join(" ")}`;
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, SHELL: "/bin/sh", ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  afterFile(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (more: string) => (text += more));
  const ended = new Promise<number | null>((resolve) => void child.on("close", resolve));
  await until(() => text.includes("turn 1 · gpt"));
  return { cwd, text: () => text, press: (keys) => void child.stdin.write(keys), ended };
}

describe.concurrent("the terminal of a process", () => {
  it("lists what runs at t, and is whole again after Ctrl-C", async ({ annotate }) => {
    if (!hasScript) return void (await annotate("keys and the cursor in a real terminal, without script", "untested"));
    // A program that may run in the background reads none.
    const isUnknown = process.platform === "linux" && !existsSync("/proc/self/stat");
    if (isUnknown) return void (await annotate("keys in a real terminal, without /proc", "untested"));
    const { press, text, ended } = await startInTerminal();
    // Keys are read once the terminal is known to be this program's.
    await until(() => {
      if (!text().includes("/6 trials")) press("t");
      return text().includes("/6 trials");
    });
    press("\u0003");
    expect(await ended).toBe(1);
    expect(text()).toContain("Summary: ");
    expect(text()).toContain("Resume this run: ");
    expect(text().lastIndexOf("\u001b[?25h")).toBeGreaterThan(text().lastIndexOf("\u001b[?25l"));
  });

  // Errors whose stack begins in the program's own files are its own.
  const ownError = `Object.assign(new Error("a mistake of its own"), {
  stack: "Error: a mistake of its own\\n    at run (${join(repository, "packages/cli/dist/main.cjs")}:1:1)",
})`;

  it.for([
    ["a crash", `throw ${ownError};`, "a mistake of its own"],
    ["a library that ends the process", "process.exit(0);", "The process exited before the run finished"],
  ] as const)("is whole again after %s, and shows why", async ([, end, said], { annotate }) => {
    if (!hasScript) return void (await annotate("the cursor after an end without notice, without script", "untested"));
    const preload = `import { writeFileSync } from "node:fs";
process.on("SIGUSR2", () => { ${end} });
writeFileSync("pid", String(process.pid));`;
    const { cwd, text, ended } = await startInTerminal(preload);
    process.kill(Number(readFileSync(join(cwd, "pid"), "utf8")), "SIGUSR2");
    expect(await ended).toBe(1);
    expect(text()).toContain(said);
    expect(text().lastIndexOf("\u001b[?25h")).toBeGreaterThan(text().lastIndexOf("\u001b[?25l"));
  });
});
