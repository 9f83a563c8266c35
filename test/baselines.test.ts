import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  baselineFile,
  baselineNames,
  baselineProject,
  configText,
  entriesIn,
  greeting,
  report,
  rewrite,
  run,
  scriptText,
} from "./support/baseline-project.js";
import { runInShell } from "./support/start-cli.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";

const set = (cwd: string, ...args: readonly string[]) => run(cwd, "baseline", "set", ...args);
const ids = (cwd: string): readonly string[] => entriesIn(baselineFile(cwd)).map(({ caseId }) => caseId);

describe("kindlm baseline", { timeout: 60_000 }, () => {
  it("sets and compares in one go in a fresh folder, and reports when nothing is there yet", async () => {
    const cwd = baselineProject(["a", "b"]);
    expect(await run(cwd, "baseline")).toMatchObject({
      code: 0,
      stdout: "No baselines saved yet. Save one: kindlm baseline set\n",
    });
    expect(await set(cwd)).toMatchObject({ code: 1, stderr: "✗ No runs yet\n  Run: kindlm test\n" });
    expect(await run(cwd, "test")).toMatchObject({ code: 0, stdout: expect.not.stringContaining("baseline") });
    const notFound = '✗ Baseline not found for suite "refund-agent"\n  Run: kindlm baseline set\n';
    expect(await run(cwd, "baseline", "compare")).toMatchObject({ code: 1, stdout: "", stderr: notFound });
    expect(await run(cwd, "baseline", "show", "refund-agent")).toMatchObject({ code: 1, stderr: notFound });
    const done = await set(cwd, "--note", "first");
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toMatch(
      /^✓ refund-agent: 2 cases \(2 new\)\nSet 1 baseline to run [\w-]+\. Commit: \.kindlm\/baselines\/refund-agent\.json\n$/,
    );
    const compared = await run(cwd, "baseline", "compare");
    expect(compared).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("= refund-agent   no change seen"),
    });
    expect((await run(cwd, "test")).stdout).toContain("= refund-agent   no change seen");
    expect((await run(cwd, "test", "--baseline", "off")).stdout).not.toContain("baseline");
    expect((await run(cwd, "baseline", "list")).stdout).toMatch(
      /^refund-agent: 2 cases, set \d{4}-\d\d-\d\d \d\d:\d\d, first, \.kindlm\/baselines\/refund-agent\.json\n$/,
    );
    expect(existsSync(join(cwd, ".kindlm", "baselines", ".gitignore"))).toBe(false);
  });

  it("names what changed, in the agent and in the calls that it made", async () => {
    const cwd = baselineProject(["a"]);
    const withTool = "    tools: [{ name: look_up, default: { return: 1 } }]\n    tests:\n";
    rewrite(cwd, "kindlm.yaml", configText(["a"]).replace("    tests:\n", withTool));
    const calls = { tool_calls: [{ tool: "look_up", args: { id: 1 } }] };
    rewrite(
      cwd,
      "script.yaml",
      JSON.stringify({ rules: [{ when: { turn: 1 }, reply: calls }], otherwise: { text: "hello" } }),
    );
    await run(cwd, "test");
    await set(cwd);
    rewrite(cwd, "script.yaml", scriptText({ a: { text: "no" } }));
    const ran = await run(cwd, "test");
    expect(ran.stdout).toContain(`  The agent changed: script
  worst   a@m   1/1 → 0/1
          - look_up  id 1
`);
    const compared = await run(cwd, "baseline", "compare", "--json");
    expect(compared.code).toBe(1);
    expect(JSON.parse(compared.stdout)).toMatchObject({
      verdict: "regressed",
      suites: [{ suite: "refund-agent", verdict: "regressed", regressedOutright: ["refund-agent/a@m"] }],
    });
  });

  it("lets a run that is worse fail by its tests and gates alone", async () => {
    const flaky = greeting("a", "runs: 2, pass: 1, ");
    const cwd = baselineProject([flaky, "b"], "s", "exit_on: gates\ngates: { pass_rate: 0.5 }\n");
    await run(cwd, "test");
    await set(cwd);
    rewrite(cwd, "script.yaml", scriptText({ b: { text: "no" } }));
    expect(await report(cwd)).toMatchObject({ exitCode: 0, comparison: { verdict: "regressed" } });
    expect(await run(cwd, "baseline", "compare")).toMatchObject({ code: 1 });
  });

  it("lists what is new, what is gone and what is checked otherwise, and keeps to what the filters see", async () => {
    const cwd = baselineProject(["a", "b", "c", "d"]);
    await run(cwd, "test");
    await set(cwd);
    const other = greeting("b").replace("value: hello", "value: ello");
    rewrite(cwd, "kindlm.yaml", configText(["a", other, "c", "new"]));
    expect((await report(cwd)).comparison?.suites).toMatchObject([
      { added: ["refund-agent/new@m"], removed: ["refund-agent/d@m"], changedChecks: ["refund-agent/b@m"] },
    ]);
    expect((await report(cwd, "-t", "/[ad]@/")).comparison?.suites).toMatchObject([{ removed: ["refund-agent/d@m"] }]);
    expect((await report(cwd, "-t", "/[ab]@/")).comparison?.suites).toMatchObject([{ removed: [] }]);
    expect((await report(cwd, "--model", "m")).comparison?.suites).toMatchObject([{ removed: [] }]);
    rewrite(cwd, "kindlm.yaml", configText([greeting("a", "only: true, "), "c"]));
    expect((await report(cwd)).comparison?.suites).toMatchObject([{ removed: [] }]);
    // The stored run is compared as it was when it ended.
    expect((await run(cwd, "baseline", "compare")).stdout).not.toContain("Removed");
  });

  it("takes what ran and keeps the rest; only --prune takes out what the config has no more", async () => {
    const cwd = baselineProject(["a", "b", "c"]);
    await run(cwd, "test");
    await set(cwd);
    rewrite(cwd, "script.yaml", scriptText({ a: { text: "no" } }));
    rewrite(cwd, "kindlm.yaml", configText(["a", "b"]));
    await run(cwd, "test", "-t", "a@");
    const foreseen = await set(cwd, "--dry-run", "--prune");
    expect(foreseen.stdout).toContain(
      "removed, because they are no longer in the config: refund-agent/c@m\nWould set 1 baseline",
    );
    const done = await set(cwd);
    expect(done.stdout).toContain(`✓ refund-agent: 1 case (1 updated), including 1 failing
  failing: refund-agent/a@m
  kept, because the run did not produce a result for them: refund-agent/b@m, refund-agent/c@m
`);
    expect(ids(cwd)).toEqual(["refund-agent/a@m", "refund-agent/b@m", "refund-agent/c@m"]);
    expect(entriesIn(baselineFile(cwd))[0]).toMatchObject({ passes: 0, trials: 1, isPassed: false });
    expect((await set(cwd, "--prune")).stdout).toContain("✓ refund-agent: 1 case (1 unchanged)");
    expect(ids(cwd)).toEqual(["refund-agent/a@m", "refund-agent/b@m"]);
  });

  it("refuses errors, which may be left out and keep what they had, and a run that was a shard", async () => {
    const cwd = baselineProject(["a", "b"]);
    await run(cwd, "test");
    await set(cwd);
    rewrite(cwd, "script.yaml", scriptText({ a: { error: { status: 404 } }, b: { text: "no" } }));
    await run(cwd, "test");
    const refused = await set(cwd);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /^✗ 1 case of run [\w-]+ errored: refund-agent\/a@m\n {2}Run them again: kindlm test --resume/,
    );
    expect((await set(cwd, "--allow-errored")).stdout).toContain(
      "not saved: refund-agent/a@m (errored: PROVIDER_API_ERROR)",
    );
    expect(entriesIn(baselineFile(cwd)).map(({ passes }) => passes)).toEqual([1, 0]);
    const { stdout } = await run(cwd, "test", "--shard", "1/2");
    expect(stdout).not.toContain("Compared with the baseline");
    expect((await set(cwd)).stderr).toContain("is shard 1 of 2, not a whole run\n  Save the merged run");
  });

  it("keeps answers where it is asked to, and shows them", async () => {
    const cwd = baselineProject(["a", "b"]);
    await run(cwd, "test");
    await set(cwd);
    expect(entriesIn(baselineFile(cwd))[0]?.output).toBeUndefined();
    await set(cwd, "--with-outputs");
    expect(entriesIn(baselineFile(cwd))[0]?.output).toBe("hello");
    const shown = await run(cwd, "baseline", "show", "refund-agent", "b@");
    expect(shown.stdout).toMatch(/✓ refund-agent\/b@m 1\/1 \(.*deterministic\)\n {4}answer: hello\n$/);
    expect(shown.stdout).not.toContain("a@m");
    const asJson = await run(cwd, "baseline", "show", "refund-agent", "--json");
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      header: { suite: "refund-agent" },
      cases: [{ output: "hello" }, {}],
    });
    expect(await run(cwd, "baseline", "show", "refund-agent", "zzz")).toMatchObject({ code: 1 });
    expect((await run(cwd, "baseline", "show", "refund-agnt")).stderr).toContain('Did you mean "refund-agent"?');
  });

  it("keeps suites with odd names apart and removes them by name, damaged ones too", async () => {
    const names = ["Orders", "orders", "or/ders", "or:ders", "con", "ümlaut €"];
    const suites = names.map((name) => `  - name: ${JSON.stringify(name)}\n    tests:\n${greeting("a")}`).join("");
    const config = `version: 1\nmodels: [{ id: m, provider: scripted, script: script.yaml }]\nsuites:\n${suites}`;
    const cwd = makeProject({ "kindlm.yaml": config, "script.yaml": scriptText({}) });
    await run(cwd, "test");
    const done = await set(cwd, "--json");
    expect(JSON.parse(done.stdout)).toMatchObject({
      dryRun: false,
      suites: names.map((suite) => ({ suite, added: [`${suite}/a@m`] })),
    });
    expect(new Set(baselineNames(cwd).map((name) => name.toLowerCase())).size).toBe(names.length);
    const { comparison } = await report(cwd);
    expect(comparison?.suites.map(({ status, verdict }) => `${status} ${verdict}`)).toEqual(
      names.map(() => "compared ok"),
    );
    rewrite(cwd, ".kindlm/baselines/orders.json", "{");
    expect(await run(cwd, "baseline", "remove", "orders", "or/dres")).toMatchObject({ code: 1 });
    expect(baselineNames(cwd)).toHaveLength(names.length);
    expect(await run(cwd, "baseline", "remove", "orders", "or/ders")).toMatchObject({ code: 0 });
    const listed = JSON.parse((await run(cwd, "baseline", "list", "--json")).stdout) as { suite: string }[];
    expect(listed.map(({ suite }) => suite).toSorted()).toEqual(["Orders", "con", "or:ders", "ümlaut €"]);
  });

  it("reports what an action does not take", async () => {
    const cwd = baselineProject(["a"]);
    const said = async (...args: readonly string[]) => (await run(cwd, "baseline", ...args)).stderr;
    expect(await said("sett")).toContain('Did you mean "set"?');
    expect(await said("compare", "--note", "x")).toContain("has no option --note");
    expect(await said("set", "orders")).toContain("Run: kindlm baseline set --suite orders");
    expect(await said("remove")).toContain('Missing required argument "suites"');
    expect(await said("show")).toContain('Missing required argument "suite"\n  See: kindlm baseline show --help');
    expect((await run(cwd, "test", "--baseline", "kindlm.yaml")).stderr).toContain('--baseline has no "kindlm.yaml"');
  });

  it("changes nothing where it cannot write, and says so", async () => {
    const cwd = baselineProject(["a", "b", "c", "d"]);
    await run(cwd, "test");
    await set(cwd);
    const before = readFileSync(baselineFile(cwd), "utf8");
    const limited = await runInShell("ulimit -f 1; kindlm baseline set", { cwd });
    expect(limited).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/✗ Cannot write \.kindlm\/baselines\/refund-agent\.json: EFBIG/),
    });
    expect(readFileSync(baselineFile(cwd), "utf8")).toBe(before);
    expect(baselineNames(cwd)).toEqual(["refund-agent.json"]);
    renameSync(join(cwd, ".kindlm", "baselines"), join(cwd, "away"));
    writeFileSync(join(cwd, ".kindlm", "baselines"), "");
    expect(await set(cwd)).toMatchObject({ code: 1, stderr: expect.stringContaining("refund-agent.json") });
    expect(await run(cwd, "test")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("! refund-agent   not compared"),
    });
  });

  it("loses nothing where two processes set at once", async () => {
    const cwd = baselineProject(["a", "b"]);
    mkdirSync(join(cwd, ".kindlm"));
    await run(cwd, "test", "-t", "a@");
    await run(cwd, "test", "-t", "b@");
    const listed = JSON.parse((await run(cwd, "runs", "--json")).stdout) as { id: string }[];
    const both = await Promise.all(listed.map(({ id }) => set(cwd, "--run", id)));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(ids(cwd)).toEqual(["refund-agent/a@m", "refund-agent/b@m"]);
    expect(baselineNames(cwd)).toEqual(["refund-agent.json"]);
  });

  it("pools the trials of several runs, each of them once, and only of the same agent", async () => {
    const cwd = baselineProject(["a", "b"]);
    await run(cwd, "test", "--runs", "2");
    await set(cwd);
    const twice = await set(cwd, "--add");
    expect(twice).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("it already contains this run"),
    });
    await run(cwd, "test", "--runs", "3");
    expect(await set(cwd, "--add", "--dry-run")).toMatchObject({ stdout: expect.stringContaining("Would add run") });
    expect(await set(cwd, "--add")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/2 cases \(2 updated\)\nAdded run [\w-]+ to 1 baseline\. Commit: /),
    });
    expect(entriesIn(baselineFile(cwd))).toMatchObject([
      { passes: 5, trials: 5, isPassed: true },
      { passes: 5, trials: 5, isPassed: true },
    ]);
    rewrite(cwd, "script.yaml", scriptText({ a: { text: "no" } }));
    rewrite(cwd, "kindlm.yaml", configText(["a", "b", "c"]));
    await run(cwd, "test");
    const other = await set(cwd, "--add");
    expect(other.stdout).toContain("not saved: refund-agent/a@m (the agent has changed)");
    expect(ids(cwd)).toHaveLength(3);
    expect(entriesIn(baselineFile(cwd))[0]).toMatchObject({ passes: 5, trials: 5 });
  });
});
