import { describe, expect, it } from "vitest";
import { fakeEnvironment, type FakeEnvironment } from "./__fixtures__/fake-environment.js";
import type { CliEnvironment } from "./environment.js";
import { main } from "./main.js";
import { version } from "./version.js";

async function call(
  argv: readonly string[],
  changes: Partial<CliEnvironment> = {},
): Promise<{ code: number; out: string; err: string }> {
  const environment: FakeEnvironment = fakeEnvironment(changes);
  const code = await main(argv, environment);
  return { code, out: environment.stdout.text(), err: environment.stderr.text() };
}

describe("main", () => {
  it.each([[["--help"]], [[]]])("prints the help for %j", async (argv) => {
    const { code, out, err } = await call(argv);
    expect(code).toBe(0);
    expect(out).toContain("Usage: kindlm [options] [command]");
    expect(out).toContain("Examples:\n  # Create a config with sample tests that run offline\n  kindlm init\n");
    expect(err).toBe("");
  });

  it.each(["init", "validate", "test", "schema", "explain"])("has help with examples for %s", async (name) => {
    const { code, out } = await call([name, "--help"]);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`Examples:\\n  # [A-Z].+\\n  kindlm ${name}`));
    expect(out).toContain("--config <path>");
  });

  it("has help for each command of a group, with its own flags alone", async () => {
    const group = await call(["runs", "--help"]);
    expect(group.out).toContain("  list                 List the runs, newest first (default)\n");
    expect(group.out).not.toContain("--keep <n>");
    const prune = await call(["runs", "prune", "--help"]);
    expect(prune.out).toContain("Usage: kindlm runs prune [options]\n");
    expect(prune.out).toContain("--keep <n>");
    expect((await call(["runs", "--help", "show"])).out).not.toContain("--keep");
  });

  it("prints its version", async () => {
    expect(await call(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });

  it.each([
    [["tset"], '✗ Unknown command "tset"\n  Did you mean test?\n'],
    [["test", "--rnus", "3"], '✗ Unknown option "--rnus"\n  Did you mean --runs?\n'],
    [["test", "--outline", "x"], '✗ Unknown option "--outline"\n  '],
    [["test", "--shard", "5/4"], "✗ Shard 5 of 4 does not exist\n  The last is --shard 4/4\n"],
    [["test", "--shard", "1/2", "--no-journal"], "✗ --shard cannot be combined with --no-journal"],
    [["test", "--shard-durations", "d.json"], "✗ --shard-durations needs --shard"],
    [["test", "--concurrency", "0"], "--concurrency <n>"],
    [["test", "--runs", "1.5"], "whole number of at least 1"],
    [["test", "--gate", "1.5"], "a number from 0 to 1"],
    [["test", "--gate", ""], "a number from 0 to 1"],
    [["test", "--reporter", "json=a/r", "--reporter", "junit=a/../a/r"], "Two outputs write to a/../a/r"],
    [["test", "--reporter", "json=r", "--events", "./r"], "Two outputs write to ./r"],
    [["test", "--events", "kindlm.yaml"], "Output file kindlm.yaml looks like a config"],
    [["test", "--timeout", "soon"], "a duration such as 500ms"],
    [["test", "--timeout", "30"], "30s or 30ms: a duration has a unit"],
    [["test", "--max-cost", "-1"], "an amount in US dollars"],
    [["test", "--seed", "x"], "a whole number from 0"],
    [["test", "--retry", "often"], '✗ --retry has no "often"\n  Choose one of default, conservative'],
    [["test", "--retry", "defualt"], '✗ --retry has no "defualt"\n  Did you mean "default"?\n'],
    [["test", "--log-format", "xml"], "Choose one of json"],
    [["test", "--bail=0"], "whole number of at least 1"],
    [["test", "--reporter", "jsno"], '✗ Unknown reporter "jsno"\n  Did you mean "json"?\n'],
    [["test", "--reporter", "json", "--reporter", "junit"], "Only one reporter can write to stdout"],
    [["test", "--reporter", "json="], "--reporter json= lacks a file name"],
    [["test", "--reporter", "json", "--events", "-"], "cannot both write to stdout"],
    [["test", "--json"], "--json needs --list"],
    [["schema", "extra"], "Too many arguments"],
    [["schema", "extra"], "See: kindlm schema --help"],
    [["runs", "--tag", "x"], '✗ Unknown option "--tag"\n  See: kindlm runs --help\n'],
    [["judge"], "✗ kindlm judge needs a command\n  Commands: calibrate\n"],
    [["judge", "calibrat", "x"], 'Did you mean "calibrate"?'],
    [
      ["runs", "show", "--older-than", "3d"],
      "✗ kindlm runs show has no option --older-than\n  Commands with this option: prune\n",
    ],
    [
      ["baseline", "list", "orders"],
      '✗ Unexpected argument "orders" after kindlm baseline list\n  Run: kindlm baseline show orders\n',
    ],
    [["baseline", "compare", "--rn", "x"], '✗ Unknown option "--rn"\n  Did you mean --run?\n'],
    [["explain", "PROVIDER_RATE_LIMT"], 'Did you mean "PROVIDER_RATE_LIMIT"?'],
  ])("refuses %j with exit code 1", async (argv, message) => {
    const { code, out, err } = await call(argv);
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(err).toMatch(/^✗ /);
    expect(err).toContain(message);
  });

  it("colors errors as the environment wants it", async () => {
    const red = "\u001b[31m";
    expect((await call(["tset"], { env: { FORCE_COLOR: "1" } })).err).toContain(red);
    expect((await call(["tset"], { env: { FORCE_COLOR: "1", NO_COLOR: "1" } })).err).not.toContain(red);
    expect((await call(["--no-color", "tset"], { env: { FORCE_COLOR: "1" } })).err).not.toContain(red);
  });
});

describe("schema", () => {
  it("prints the schema of the report", async () => {
    const { out } = await call(["schema", "--result"]);
    expect(JSON.parse(out)).toMatchObject({ title: "KindLM run result" });
  });
});
