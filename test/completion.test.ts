import { execFile, execFileSync } from "node:child_process";
import { chmodSync, createReadStream, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { afterFile } from "../packages/core/src/__fixtures__/clean-up.js";
import { draws } from "../packages/core/src/__fixtures__/draws.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { briefly, cliPath } from "./support/start-cli.js";

const run = promisify(execFile);

/** Names that a shell would split, expand, run or end. */
const hostile = [
  "two words",
  "it's",
  'a "quote"',
  "$HOME and `id`",
  "back\\slash",
  "semi;colon & more | <x>",
  "ünï 東京 🎉",
  "colon:equals=at@x",
  "~tilde #hash !bang",
  "(a) [b] {c} *?",
];
const list = (names: readonly string[]): string => names.map((name) => `  - name: ${JSON.stringify(name)}`).join("\n");

const project = makeProject({
  "kindlm.yaml": `version: 1
models:
  - { id: gpt, provider: openai, model: gpt-4.1-mini }
  - { id: offline, provider: scripted, script: script.yaml }
suites:
  - name: orders
    tags: [smoke]
    tests:
      - { name: where-is, input: a, assert: [{ type: contains, value: a }] }
      - { name: full-refund, tags: [money, "slow one"], input: a, assert: [{ type: contains, value: a }] }
      - { name: "first\\nsecond", input: a, assert: [{ type: contains, value: a }] }
${list(hostile)}
  - name: "evil\\nsuite"
`,
  "other/kindlm.yaml": "version: 1\nsuites:\n  - name: elsewhere\n",
  "broken.yaml": "suites: [",
  ".kindlm/runs/20260215-103000000-a1b2c3/journal.jsonl": "",
  "sub/notes.txt": "",
});
const bin = join(project, "bin");
mkdirSync(bin);
// What a shell asks is answered by this process, since the program starts slowly: to a shell it is the same. It is started
// for the suites that begin with "ord", so that a shell has started it.
const handedOver = `#!/bin/sh
case "$*" in *ord*) exec "${process.execPath}" ${briefly.join(" ")} "${cliPath}" "$@" ;; esac
asked=$(mktemp -d "${project}/asked-XXXXXX")
mkfifo "$asked/answer"
for word; do printf '%s\\0' "$word"; done > "$asked/words"
echo "$asked" > "${project}/asks"
cat "$asked/answer"
`;
writeFileSync(join(bin, "kindlm"), handedOver);
chmodSync(join(bin, "kindlm"), 0o755);
const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: project, LC_ALL: "C.UTF-8", TERM: "xterm" };

/** Answers what shells ask the program until the test file ends. */
function answerShells(): void {
  const pipe = join(project, "asks");
  execFileSync("mkfifo", [pipe]);
  // Opened for writing, too: it does not end when a shell closes it.
  const asks = createReadStream(pipe, { flags: "r+" });
  afterFile(() => {
    asks.destroy();
    // A read that has begun ends with data only, and would count as work in all later files of this process.
    writeFileSync(pipe, "\n");
  });
  createInterface({ input: asks }).on("line", (asked) => {
    const words = readFileSync(join(asked, "words"), "utf8").split("\0").slice(0, -1);
    void runCli(words, { cwd: project }).then(({ stdout }) => writeFile(join(asked, "answer"), stdout));
  });
}

/** The directive and the candidates for words behind the program. */
async function completions(words: readonly string[], cwd = project): Promise<readonly string[]> {
  const { code, stdout, stderr } = await runCli(["__complete", "fish", "kindlm", ...words], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[0] ?? "");
}

describe("what is completed", () => {
  it.each<[words: readonly string[], expected: readonly string[]]>([
    [["ba"], ["names", "baseline"]],
    [
      ["baseline", "s"],
      ["names", "set", "show"],
    ],
    [
      ["help", "baseline", "s"],
      ["names", "set", "show"],
    ],
    [
      ["--no-color", "runs", "p"],
      ["names", "prune"],
    ],
    [
      ["test", "--sui"],
      ["names", "--suite"],
    ],
    [["test", "--resume", "--res"], ["names"]],
    [
      ["test", "--suite", "orders", "--sui"],
      ["names", "--suite"],
    ],
    [
      ["test", "--suite", "or"],
      ["names", "orders"],
    ],
    [
      ["test", "--suite=or"],
      ["names", "--suite=orders"],
    ],
    [
      ["test", "--tag", ""],
      ["names", "smoke", "money", "slow one"],
    ],
    [
      ["test", "--model", ""],
      ["names", "gpt", "offline"],
    ],
    [
      ["test", "-t", "orders/"],
      ["names", "orders/where-is", "orders/full-refund", "orders/first"],
    ],
    [
      ["test", "-t", "full"],
      ["names", "full-refund"],
    ],
    [
      ["test", "--baseline", ""],
      ["names", "on", "off"],
    ],
    [
      ["test", "--reporter", "ju"],
      ["names", "junit"],
    ],
    [["test", "--reporter", "junit="], ["files"]],
    [["test", "--root", ""], ["folders"]],
    [["test", ""], ["files"]],
    [["test", "--", "-t"], ["files"]],
    [
      ["test", "-c", "other/kindlm.yaml", "--suite", ""],
      ["names", "elsewhere"],
    ],
    [["test", "-c", "broken.yaml", "--suite", ""], ["names"]],
    [["test", "-c", "missing.yaml", "--suite", ""], ["names"]],
    [
      ["runs", "show", ""],
      ["names", "last", "20260215-103000000-a1b2c3"],
    ],
    [
      ["report", "2"],
      ["names", "20260215-103000000-a1b2c3"],
    ],
    [
      ["baseline", "set", "--run", "l"],
      ["names", "last"],
    ],
    [
      ["baseline", "show", "or"],
      ["names", "orders"],
    ],
    [
      ["explain", "PROVIDER_R"],
      ["names", "PROVIDER_RATE_LIMIT"],
    ],
    [
      ["completion", ""],
      ["names", "bash", "zsh", "fish", "powershell"],
    ],
    [
      ["init", "--template", "m"],
      ["names", "mcp"],
    ],
    [["nonsense", ""], ["names"]],
    [["test", "--nonsense=a"], ["names"]],
  ])("kindlm %j", async (words, expected) => {
    expect(await completions(words)).toEqual(expected);
  });

  it("lists every suite but one with a line break, from a subfolder too, and describes commands", async () => {
    const all = ["names", "orders", ...hostile];
    expect(await completions(["test", "--suite", ""])).toEqual(all);
    expect(await completions(["test", "--suite", ""], join(project, "sub"))).toEqual(all);
    const { stdout } = await runCli(["__complete", "zsh", "npx", "kindlm", "va"], { cwd: project });
    expect(stdout).toBe("names\nvalidate\tCheck the config without calling a model\n");
    expect((await runCli(["__complete", "zsh", "npx", "kin"], { cwd: project })).stdout).toBe("other\n");
  });

  it("reads the words of PowerShell from a variable, and an empty one is a word", async () => {
    const words = ["kindlm", "test", "--suite", ""].join("\u001f");
    const { stdout } = await runCli(["__complete", "powershell"], { cwd: project, env: { KINDLM_COMPLETE: words } });
    expect(stdout.split("\n").slice(0, 3)).toEqual(["names", "orders\t", "two words\t"]);
  });
});

describe("kindlm completion", () => {
  it.each([
    ["bash", "complete -F _kindlm kindlm"],
    ["zsh", "compdef _kindlm kindlm"],
    ["fish", "complete -c kindlm -f -a"],
    ["PowerShell", "Register-ArgumentCompleter -Native -CommandName 'kindlm', 'npx', 'bunx'"],
  ])("prints the script for %s", async (shell, expected) => {
    const { code, stdout } = await runCli(["completion", shell], { cwd: project });
    expect([code, stdout]).toEqual([0, expect.stringContaining(expected)]);
  });

  it.each([
    ["pwsh", 'Did you mean "powershell"?'],
    ["bsh", 'Did you mean "bash"?'],
    ["nushell", "Choose one of bash, zsh, fish, powershell"],
  ])("refuses %s", async (shell, fix) => {
    expect(await runCli(["completion", shell], { cwd: project })).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `✗ No completion for the shell "${shell}"\n  ${fix}\n`,
    });
  });
});

const has = (program: string): boolean => {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/**
 * What an interactive shell hands to the program after keys were pressed, as one argument after the other; null where the
 * shell is not installed, nothing here makes a terminal, or no shell could read what another program prints as a file, which
 * takes /proc on Linux. Each line is typed into one shell.
 */
async function type(shell: string, setup: string, keys: readonly string[]): Promise<readonly string[] | null> {
  if (!has(shell.split(" ")[0] ?? "") || !has("script") || !existsSync("/dev/fd")) return null;
  const shown = `shown() { printf 'got'; printf '<%s>' "$@"; printf 'end\\n'; }\nkindlm() { shown "$@"; }`;
  writeFileSync(join(project, `setup-${shell.slice(0, 3)}`), `${setup}\n${shown}\n`);
  const file = join(project, `keys-${shell.slice(0, 3)}`);
  writeFileSync(file, [`. ./setup-${shell.slice(0, 3)}`, ...keys, "exit", ""].join("\n"));
  const { stdout } = await run("sh", ["-c", `script -qec '${shell}' /dev/null < ${file}`], { cwd: project, env });
  return [...stdout.matchAll(/got(<.*?>)end/g)].map(([, words = ""]) => words);
}

const untested = (shell: string): string =>
  `completion in ${shell}, which is not installed here, or has no terminal or no /dev/fd`;

describe("in real shells", () => {
  beforeAll(answerShells);

  // The first ones alone are typed in `pnpm test`.
  const keys: readonly (readonly [typed: string, read: string])[] = [
    ["kindlm test --suite colon:equals=at@\t", "<test><--suite><colon:equals=at@x>"],
    ["kindlm test --suite 'two\t", "<test><--suite><two words>"],
    ["kindlm test --suite \\$HO\t", "<test><--suite><$HOME and `id`>"],
    ["kindlm test --suite=ord\t", "<test><--suite=orders>"],
    ['kindlm test --suite "two\t', "<test><--suite><two words>"],
    ["kindlm test --suite a\t", '<test><--suite><a "quote">'],
    ["kindlm val\t", "<validate>"],
    ["kindlm test --suite two\t", "<test><--suite><two words>"],
    ["kindlm test --suite it\t", "<test><--suite><it's>"],
    ["kindlm test --suite back\t", "<test><--suite><back\\slash>"],
    ["kindlm test --suite semi\t", "<test><--suite><semi;colon & more | <x>>"],
    ["kindlm test --suite colon:eq\t", "<test><--suite><colon:equals=at@x>"],
    ["kindlm test --suite '$HO\t", "<test><--suite><$HOME and `id`>"],
    ["kindlm test --suite \\~ti\t", "<test><--suite><~tilde #hash !bang>"],
    ["kindlm test --suite \\(\t", "<test><--suite><(a) [b] {c} *?>"],
    ["kindlm val\t", "<validate>"],
    ["kindlm test -c kin\t", "<test><-c><kindlm.yaml>"],
  ];

  it("bash completes hostile names as one argument, in and without quotes", async ({ annotate }) => {
    const typed = keys.slice(0, draws({ brief: 6, full: keys.length }));
    const setup = "set +H\nsource <(kindlm completion bash)";
    const read = await type(
      "bash --norc --noprofile -i",
      setup,
      typed.map(([line]) => line),
    );
    if (read === null) await annotate(untested("bash"), "untested");
    else expect(read).toEqual(typed.map(([, words]) => words));
  });

  it("zsh completes them too", async ({ annotate }) => {
    // To read the functions for other programs takes ten times as long as all else.
    const setup = `setopt no_bang_hist
all=($fpath)
fpath=(\${fpath:#*/Completion/(Unix|X|Linux|AIX|BSD|Cygwin|Darwin|Debian|Mandriva|Redhat|Solaris|openSUSE)})
autoload -Uz compinit && compinit -u -D
fpath=($all)
autoload -Uz _files _path_files
source <(kindlm completion zsh)`;
    const typed = keys.slice(0, draws({ brief: 3, full: keys.length }));
    const read = await type(
      "zsh -f -i",
      setup,
      typed.map(([line]) => line),
    );
    if (read === null) await annotate(untested("zsh"), "untested");
    else expect(read).toEqual(typed.map(([, words]) => words));
  });

  it("fish completes them too", async ({ annotate }) => {
    if (!has("fish")) {
      await annotate(untested("fish"), "untested");
      return;
    }
    const lines = ["test --suite ", "val", "test --root su"];
    const asked = lines.map((line) => `complete -C ${JSON.stringify(`kindlm ${line}`)}; echo end`).join("\n");
    const { stdout } = await run("fish", ["--no-config", "-c", `kindlm completion fish | source\n${asked}`], {
      cwd: project,
      env,
    });
    const [suites = "", command, folder] = stdout.split("end\n");
    expect(
      suites
        .trimEnd()
        .split("\n")
        .map((line) => line.replace(/\t.*$/, ""))
        .toSorted(),
    ).toEqual(["orders", ...hostile].toSorted());
    expect([command, folder]).toEqual([
      "validate\tCheck the config without calling a model\n",
      expect.stringMatching(/^sub\//),
    ]);
  });
});
