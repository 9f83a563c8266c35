import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli, type CliOutcome } from "./support/run-cli.js";

const config = `version: 1
models:
  - { id: offline, provider: scripted, script: script.yaml }
suites:
  - name: greetings
    tests:
      - { name: polite, input: Hello, assert: [{ type: contains, value: Good morning }] }
      - { name: short, input: Hello, assert: [{ type: contains, value: Hi }] }
`;
const script = "otherwise: { text: Hi }\n";
const started = { npm_config_user_agent: "npm/10.9.0 node/v22.1.0 linux x64" };
/** A command that is not in the form in which the program was started. */
const untyped = /(?<!npx |[\w"'/@.-])kindlm [a-z-]+.*/g;

function inProject(files: Readonly<Record<string, string>>) {
  const cwd = makeProject(files);
  return {
    cwd,
    run: (...args: string[]): Promise<CliOutcome> =>
      runCli(args, { cwd, env: started, script: join(cwd, "node_modules", ".bin", "kindlm") }),
  };
}

describe("every command that is printed can be typed as it is: npx kindlm, where the program was started so", () => {
  it.each<[words: string, expected: string]>([
    ["", "npx kindlm init"],
    ["--help", "npx kindlm test"],
    ["test --help", "Usage: npx kindlm test [options]"],
    ["baseline set --help", "npx kindlm baseline set --suite orders"],
    ["test", "again  npx kindlm test --rerun-failed       closer  npx kindlm show 1"],
    ["test -t nothing", "npx kindlm test --list"],
    ["test --shard 1/2", "npx kindlm merge"],
    ["test --reporter markdown --exclude greetings", "npx kindlm test --list"],
    ["test -c missing.yaml", "Run npx kindlm init"],
    ["test --run nothing --resume", "Run: npx kindlm runs list"],
    ["validate -c broken.yaml --json", "Unknown key"],
    ["runs show", "npx kindlm test --rerun-failed --run"],
    ["runs list more", "Run: npx kindlm runs show more"],
    ["runs prune", "npx kindlm runs prune needs --keep"],
    ["show nothing", "npx kindlm test --list"],
    ["baseline list", "Save one: npx kindlm baseline set"],
    ["baseline compare", "npx kindlm baseline set"],
    ["baseline list more", "Run: npx kindlm baseline show more"],
    ["cassette list", "Record some: npx kindlm test --cassette record"],
    ["explain", ""],
    ["explain 502", "npx kindlm baseline set"],
    ["explain nothing", "Run npx kindlm explain"],
    ["doctor -c stopped.yaml --offline", "npx kindlm validate shows where"],
    ["validate -c many.yaml", "Show all with --all"],
    ["doctor -c many.yaml", "Show all with npx kindlm validate -c many.yaml --all"],
    ["init --dir new", "npx kindlm test new/kindlm.yaml"],
  ])("kindlm %s", async (words, expected) => {
    const many = Array.from({ length: 25 }, (_, at) => `wrong${at}: 1`).join("\n");
    const { run } = inProject({
      "kindlm.yaml": config,
      "script.yaml": script,
      "stopped.yaml": `${config}  - { name: stopped, tests: [{ name: a, dataset: missing.csv, input: x, assert: [{ type: contains, value: x }] }] }\n`,
      "broken.yaml": config.replace("polite,", "polite, wrong: 1,"),
      "many.yaml": `${config}${many}\n`,
    });
    if (words !== "test") await run("test");
    const { stdout, stderr } = await run(...words.split(" ").filter((word) => word !== ""));
    const printed = stdout + stderr;
    expect(printed).toContain(expected);
    expect(printed.match(untyped)).toBeNull();
  });

  it("is in the reports that are written too, and leaves the words of the user and the model alone", async () => {
    const { cwd, run } = inProject({
      "kindlm.yaml": config.replace("name: short", "name: type kindlm test here"),
      "script.yaml": "otherwise: { text: Just run kindlm test }\n",
    });
    const { stdout } = await run("test", "--reporter", "json=report.json", "--reporter", "junit=junit.xml");
    expect(stdout).toContain("type kindlm test here");
    expect(readFileSync(join(cwd, "report.json"), "utf8")).toContain("Just run kindlm test");
    expect(readFileSync(join(cwd, "junit.xml"), "utf8")).toContain("type kindlm test here");
  });

  it("names the program in the command that resumes a run", async () => {
    const { cwd, run } = inProject({
      "kindlm.yaml": config,
      "script.yaml": "otherwise: { text: Hi, delay: 60s }\n",
    });
    writeFileSync(join(cwd, "notes kindlm x.yaml"), config);
    const interrupted = await runCli(["test", "-c", "notes kindlm x.yaml"], {
      cwd,
      env: started,
      script: join(cwd, "node_modules", ".bin", "kindlm"),
      interrupt: AbortSignal.abort(),
    });
    expect(interrupted.stderr).toMatch(/^Resume this run: npx kindlm test -c 'notes kindlm x\.yaml' --resume --run /m);
    expect((await run("runs")).code).toBe(0);
  });
});
