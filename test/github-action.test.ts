import { stripVTControlCharacters } from "node:util";
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { parseYaml } from "../packages/core/src/__fixtures__/parse-yaml.js";
import { emptyGithub, environmentOf, github, runStep, startGithub, stepOf } from "./support/action-steps.js";
import { token } from "./support/fake-github.js";
import { repository } from "./support/run-cli.js";

await startGithub();

const config = `version: 1
models:
  - id: m
    provider: scripted
    script:
      rules: [{ when: { user: red }, reply: { text: "::error::injected" } }]
      otherwise: { text: hello }
suites:
  - name: s
    models: [m]
    assert: [{ type: contains, value: hello }]
    tests: [{ name: green, input: green }, { name: red, input: red }, { name: it's, input: green, tags: [smoke] }]
`;

/** A project with another program in the place of KindLM, for what the action does with any. */
const projectWith = (program: string): string =>
  makeProject({
    "node_modules/@kindlm/cli/package.json": '{"bin":{"kindlm":"./bin.js"}}',
    "node_modules/@kindlm/cli/bin.js": program,
  });

/** A project in which KindLM is installed. */
function installedProject(files: Record<string, string> = { "kindlm.yaml": config }): string {
  const cwd = makeProject(files);
  mkdirSync(join(cwd, "node_modules", "@kindlm"), { recursive: true });
  symlinkSync(join(repository, "packages", "cli"), join(cwd, "node_modules", "@kindlm", "cli"));
  return cwd;
}

describe("the run", () => {
  it.each([
    [{ INPUT_CONFIG: "nothing.yaml" }, "cannot read nothing.yaml"],
    [{ INPUT_ARGS: "--tag 'smoke" }, "::error title=KindLM::args: the quote ' is not closed"],
    [{ INPUT_VERSION: "1.0; rm -rf /" }, '::error title=KindLM::version: "1.0; rm -rf /" is not a version'],
    [{ INPUT_BASELINE: "--upload-pack=x" }, "is not the name of a branch"],
  ])("fails the job if it cannot run: %o", async (inputs, message) => {
    const failing = projectWith('console.error("cannot read", process.argv[4]); process.exit(1);');
    const { code, stdout, outputs } = await runStep("run.js", inputs, failing);
    expect({ code, outputs }).toMatchObject({ code: 0, outputs: { "exit-code": "1", verdict: "failed", passed: "0" } });
    expect(stdout).toContain(message);
  });

  it("installs the version that is asked for, and its own where the project has none", async () => {
    const bin = makeProject({
      npm: `#!/bin/sh
echo "npm $*"
mkdir -p node_modules/@kindlm/cli
echo '{"bin":{"kindlm":"./bin.js"}}' > node_modules/@kindlm/cli/package.json
echo 'console.log("kindlm", ...process.argv.slice(2, 6), process.env.INPUT_TOKEN)' > node_modules/@kindlm/cli/bin.js
`,
    });
    execFileSync("chmod", ["+x", join(bin, "npm")]);
    const env = { PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`, INPUT_MAX_COST: "2", INPUT_TOKEN: token };
    const asked = await runStep("run.js", { ...env, INPUT_VERSION: "1.2.3" }, projectWith("process.exit(1)"));
    expect(asked.stdout).toContain(
      "npm install --no-audit --no-fund --prefix . @kindlm/cli@1.2.3\nkindlm test --max-cost 2 --reporter undefined\n",
    );
    const { version } = JSON.parse(readFileSync(join(repository, "packages/cli/package.json"), "utf8")) as {
      version: string;
    };
    const none = await runStep("run.js", env, makeProject({ "kindlm.yaml": config }));
    expect(none.stdout).toContain(`@kindlm/cli@${version}\n`);
  });

  it("compares with the baselines of a branch, whatever the checkout has", async () => {
    const folder = ".kindlm/baselines";
    const origin = makeProject({ [`agents/${folder}/s.json`]: "of main", "kept.json": "1" });
    const git = (cwd: string, ...args: string[]): void => void execFileSync("git", args, { cwd, stdio: "ignore" });
    const commit = (cwd: string): void => {
      git(cwd, "add", "-A", "-f");
      git(cwd, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-m", "x");
    };
    git(origin, "init", "-b", "main");
    commit(origin);
    const cwd = makeProject({});
    git(cwd, "clone", "-q", origin, ".");
    writeFileSync(join(cwd, "agents", folder, "s.json"), "of the pull request");
    writeFileSync(join(cwd, "agents", folder, "new.json"), "of the pull request");
    commit(cwd);
    const program = join(cwd, "node_modules", "@kindlm", "cli");
    mkdirSync(program, { recursive: true });
    writeFileSync(join(program, "package.json"), '{"bin":{"kindlm":"./bin.js"}}');
    writeFileSync(join(program, "bin.js"), "console.log(`against ${process.env.KINDLM_BASELINE_BRANCH}`)");
    const inputs = { INPUT_WORKING_DIRECTORY: "agents", INPUT_BASELINE: "main" };
    expect((await runStep("run.js", inputs, cwd)).stdout).toContain("against main\n");
    expect(readdirSync(join(cwd, "agents", folder))).toEqual(["s.json"]);
    expect(readFileSync(join(cwd, "agents", folder, "s.json"), "utf8")).toBe("of main");
    const { stdout, outputs } = await runStep("run.js", { ...inputs, INPUT_BASELINE: "gone" }, cwd);
    expect(stdout).toContain("baseline: the branch gone cannot be fetched");
    expect(outputs["exit-code"]).toBe("1");
  });

  it("keeps the runs of shards for the job that merges them", async () => {
    const shard = await runStep("run.js", { INPUT_ARGS: "--shard 1/1" }, installedProject());
    expect(shard.outputs["artifact-name"]).toBe("kindlm-report-shard-1-of-1");
    const merge = `${shard.outputs["report"] ?? ""}\n`;
    const { outputs } = await runStep("run.js", { INPUT_MERGE: merge }, installedProject());
    expect(outputs).toMatchObject({ verdict: "failed", passed: "2", failed: "1", "artifact-name": "kindlm-report" });
  });
});

interface ActionFile {
  inputs: Record<string, { description: string; default: string }>;
  outputs: Record<string, { value: string }>;
  runs: {
    steps: { id?: string; if?: string; uses?: string; run?: string; shell?: string; env?: Record<string, string> }[];
  };
}

describe("action.yml", () => {
  const text = readFileSync(join(repository, "action.yml"), "utf8");
  const action = parseYaml(text) as ActionFile;

  it("hands every input to a script that reads it, and takes outputs that a step has", () => {
    const used = new Set([...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name = ""]) => name));
    expect([...used].toSorted()).toEqual(Object.keys(action.inputs).toSorted());
    const folder = join(repository, "action");
    const scripts = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("");
    for (const { env = {} } of action.runs.steps) {
      for (const [name, value] of Object.entries(env)) {
        if (value.includes("inputs."))
          expect(value).toBe(`\${{ inputs.${name.slice(6).toLowerCase().replaceAll("_", "-")} }}`);
        if (name !== "EXIT_CODE") expect(scripts).toContain(name);
      }
    }
    const ids = new Set(action.runs.steps.map(({ id }) => id));
    for (const [, id, output = ""] of text.matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)) {
      expect(ids).toContain(id);
      if (id !== "artifact") expect(scripts).toMatch(new RegExp(`\\b${output}"?[:,]`));
    }
  });

  it("runs, reports, annotates, comments and sets outputs, and ends as the tests did", async () => {
    emptyGithub();
    const cwd = installedProject({ "agents/evals/kindlm.yaml": config });
    const given: Readonly<Record<string, string>> = {
      token,
      config: "evals/kindlm.yaml",
      args: `--runs 2 -t red -t "s/it's"`,
      "working-directory": "agents",
    };
    const { steps, logs } = await runAction(action, given, cwd);
    expect(steps.map(({ code }) => code)).toEqual([0, 0, 1]);
    const [run, publish] = steps;
    const { report = "", ...others } = run?.outputs ?? {};
    expect(others).toEqual({
      "exit-code": "1",
      verdict: "failed",
      passed: "1",
      failed: "1",
      errored: "0",
      "pass-rate": "0.5",
      regressions: "0",
      cost: "0",
      "artifact-name": "kindlm-report",
    });
    const names = ["annotations.txt", "comment.md", "junit.xml", "report.html", "report.json", "summary.md"];
    expect(readdirSync(report).toSorted()).toEqual(names);
    expect(stripVTControlCharacters(logs)).toContain("Summary: 1 passed, 1 failed, 0 errored, 0 skipped");
    expect(logs.match(/^::(?!(?:end)?group::).*$/gm)).toEqual([
      expect.stringMatching(/^::error file=evals\/kindlm\.yaml,line=\d+,/),
    ]);
    expect(run?.summary).toContain("## ✗ KindLM: 1 case failed · ec26c3e · $0 · ");
    const [comment] = github.comments;
    expect(publish?.outputs).toEqual({ "comment-url": comment?.html_url });
    expect(comment?.body).toContain("### ✗ KindLM: 1 case failed · ec26c3e");
    expect(comment?.body).toContain("Rerun: `npx kindlm test -c evals/kindlm.yaml -t s/red@m`");
  });
});

interface RunOfAction {
  /** Of those that run a script. */
  steps: (ReturnType<ReturnType<typeof stepOf>["outcome"]> & { code: number | null })[];
  logs: string;
}

/** Runs the scripts of the action one after the other, as a runner does whose expressions name inputs and outputs only. */
async function runAction(
  action: ActionFile,
  given: Readonly<Record<string, string>>,
  cwd: string,
): Promise<RunOfAction> {
  const outputs: Record<string, Record<string, string>> = {};
  const resolve = (written: string): string =>
    written
      .replaceAll(
        /\$\{\{ inputs\.([\w-]+) \}\}/g,
        (_, name: string) => given[name] ?? action.inputs[name]?.default ?? "",
      )
      .replaceAll(
        /\$\{\{ steps\.([\w-]+)\.outputs\.([\w-]+) \}\}/g,
        (_, id: string, name: string) => outputs[id]?.[name] ?? "",
      );
  const result: RunOfAction = { steps: [], logs: "" };
  for (const { id = "", run, env = {} } of action.runs.steps) {
    if (run === undefined) continue;
    const inputs = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, resolve(value)]));
    const step = stepOf({ ...environmentOf({}), GITHUB_ACTION_PATH: repository, ...inputs }, cwd);
    const code = await new Promise<number | null>((done) => {
      const words = ["--noprofile", "--norc", "-eo", "pipefail", "-c", run];
      const child = execFile("bash", words, { cwd, env: step.env }, (_, stdout, stderr) => {
        result.logs += stdout + stderr;
        done(child.exitCode);
      });
    });
    const outcome = step.outcome();
    outputs[id] = outcome.outputs;
    result.steps.push({ code, ...outcome });
  }
  return result;
}
