import { execFile, spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { afterFile } from "../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { toPassAssertion } from "../packages/vitest/dist/index.js";
import { loadRun } from "../packages/core/dist/commands/runs.js";
import { repository, runCli } from "./support/run-cli.js";
import { until } from "./support/until.js";

const program = join("node_modules", "vitest", "vitest.mjs");
const env = { ...process.env, NO_COLOR: "1", CI: "", VITEST: undefined, NODE_OPTIONS: "" };

/**
 * What `npm install` would install. The packages are copies in a folder of modules, as they are for users: Vitest compiles
 * anew what is linked from elsewhere, which takes most of its time.
 */
const installed = join(makeProject({}), "node_modules");
for (const name of ["core", "vitest"]) {
  const [from, to] = [join(repository, "packages", name), join(installed, "@kindlm", name)];
  const filter = (path: string): boolean => !path.endsWith(".d.ts");
  for (const part of ["package.json", "dist"]) cpSync(join(from, part), join(to, part), { recursive: true, filter });
}
symlinkSync(join(repository, "packages", "core", "node_modules"), join(installed, "@kindlm", "core", "node_modules"));
symlinkSync(join(repository, "node_modules", "vitest"), join(installed, "vitest"));

function install(cwd: string): string {
  symlinkSync(installed, join(cwd, "node_modules"));
  return cwd;
}

function copyExample(): string {
  const cwd = makeProject({});
  cpSync(join(repository, "examples", "vitest"), cwd, { recursive: true });
  return install(cwd);
}

interface Reported {
  numPassedTests: number;
  testResults: { assertionResults: { fullName: string; status: string; failureMessages: string[] }[] }[];
}

/** Runs Vitest in a folder, as its users do. Returns its report: the tests by their names. */
async function runVitest(cwd: string, ...args: readonly string[]) {
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, [program, "run", "--reporter=json", ...args], { cwd, env }, (_error, stdout) =>
      resolve(stdout),
    );
  });
  const report = JSON.parse(printed.slice(printed.indexOf("{"))) as Reported;
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return new Map(tests.map(({ fullName, status, failureMessages }) => [fullName, { status, failureMessages }]));
}

const runsIn = (cwd: string): readonly string[] =>
  existsSync(join(cwd, ".kindlm", "runs"))
    ? readdirSync(join(cwd, ".kindlm", "runs")).filter((name) => !name.startsWith("."))
    : [];

const hostile = `version: 1
models: [{ id: offline, provider: scripted, script: { rules: [{ when: { user: { $contains: broken } }, reply: { error: { status: 400 } } }], otherwise: { text: "Hi" } } }]
gates: { pass_rate: 0.9 }
suites:
  - name: s
    tests:
      - { name: passes, input: x, assert: [{ type: contains, value: Hi }] }
      - { name: fails, input: x, assert: [{ type: contains, value: Bye }, { type: equals, value: Hello }] }
      - { name: errs, input: broken, assert: [{ type: contains, value: Hi }] }
      - { name: waits, skip: not yet, input: x, assert: [{ type: contains, value: Hi }] }
      - { name: known, allow_failure: bug 7, input: x, assert: [{ type: contains, value: Bye }] }
  - name: t
    tests: [{ name: a, inputt: x }]
`;

it.concurrent("maps every status, with the lines of KindLM, runs a retry of Vitest alone, and only what -t selects", async () => {
  const example = join(repository, "examples", "vitest");
  const cwd = install(
    makeProject({
      "kindlm.yaml": hostile,
      "part/kindlm.yaml": readFileSync(join(example, "kindlm.yaml")),
      "part/orders.csv": "id\nORD-1\nORD-2\n",
      "part/scripts/order-agent.yaml": readFileSync(join(example, "scripts", "order-agent.yaml")),
      "agent.test.ts": `import { describeKindlm } from "@kindlm/vitest";
await describeKindlm("kindlm.yaml");
await describeKindlm(new URL("./part/kindlm.yaml", import.meta.url));\n`,
    }),
  );
  const tests = await runVitest(cwd, "--retry", "1", "-t", "^kindlm.yaml|ORD-2");
  const statuses = [...tests].map(([name, { status }]) => [name.replace("kindlm.yaml ", ""), status]);
  expect(Object.fromEntries(statuses)).toEqual({
    config: "failed",
    "s passes@offline": "passed",
    "s fails@offline": "failed",
    "s errs@offline": "failed",
    "s waits@offline": "skipped",
    "s known@offline": "skipped",
    "t a@offline": "skipped",
    gates: "failed",
    "part/order-agent looks the order up[ORD-1]@offline": "skipped",
    "part/order-agent looks the order up[ORD-2]@offline": "passed",
    "part/gates": "skipped",
  });
  const messageOf = (name: string): string => tests.get(`kindlm.yaml ${name}`)?.failureMessages[0] ?? "";
  expect(messageOf("config")).toMatch(/^CaseErroredError: Unknown key "inputt"\n {2}Did you mean "input"\?\n/);
  expect(messageOf("s errs@offline")).toMatch(/^CaseErroredError: /);
  expect(messageOf("s fails@offline")).toContain(`\n    at ${join(cwd, "kindlm.yaml")}:8:`);
  const { stdout } = await runCli(["test", "--reporter", "markdown"], { cwd });
  const shown = stdout.replaceAll("\\", "");
  const failed = messageOf("s fails@offline").replace("CaseFailedError: ", "").split("\n    at ")[0] ?? "";
  expect(failed.split("\n")).toHaveLength(2);
  for (const line of failed.split("\n")) expect(shown).toContain(line.replace(/^\w+: /, ""));
  expect(messageOf("gates")).toMatch(/^GateFailedError: pass_rate: 50%, expected at least 90%$/m);
  // The shared run, one for the retry of each of two cases, and that of the command line.
  expect(runsIn(cwd)).toHaveLength(4);
  const part = await loadRun({ paths: ["part/kindlm.yaml"] }, { cwd });
  expect(part).toMatchObject({ data: { result: { summary: { total: 1, passed: 1 } } } });
});

it.concurrent("runs the sample project, and again in watch mode when a dataset of the config changes", async () => {
  const cwd = copyExample();
  const child = spawn(process.execPath, [program, "--watch", "--reporter=verbose"], { cwd, env });
  afterFile(() => void child.kill());
  let printed = "";
  child.stdout.on("data", (text) => (printed += String(text)));
  await until(() => /Tests +4 passed/.test(printed) && printed.includes("Waiting for file changes"));
  writeFileSync(join(cwd, "orders.csv"), "id\nORD-1\nORD-2\nORD-9\n");
  await until(() => printed.includes("looks the order up[ORD-9]@offline") && /Tests +5 passed/.test(printed));
  child.kill();
});

it("adds a typed assertion to expect", async () => {
  expect.extend({ toPassAssertion });
  const trial = { output: "Your refund is on its way.", toolCalls: [{ tool: "refund", args: { id: "ORD-1" } }] };
  await expect(trial).toPassAssertion({ type: "tool_called", tool: "refund" });
  await expect(trial).not.toPassAssertion({ type: "contains", value: "sorry" });
  await expect(expect(trial).toPassAssertion({ type: "contains", value: "sorry" })).rejects.toThrow(
    'contains: Expected the answer to contain "sorry"',
  );
  await expect(expect(trial).not.toPassAssertion({ type: "contains", value: "refund" })).rejects.toThrow(
    'Expected not to pass: {type: "contains", value: "refund"}',
  );
  // @ts-expect-error the key is misspelled
  await expect(expect(trial).not.toPassAssertion({ type: "contains", valeu: "refund" })).rejects.toThrow("valeu");
  // @ts-expect-error the type is misspelled
  await expect(expect(trial).toPassAssertion({ type: "contain", value: "x" })).rejects.toThrow('"contain"');
});

it("is documented with code that the sample has", () => {
  const sample = readFileSync(join(repository, "examples", "vitest", "vitest.config.ts"), "utf8");
  expect(readFileSync(join(repository, "docs", "vitest.md"), "utf8")).toContain(sample.trim());
});
