import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { repository, runCli } from "./support/run-cli.js";
import { startServer } from "../packages/core/src/__fixtures__/start-server.js";

interface Report {
  isPassing: boolean;
  reasons: string[];
  tests: {
    suite: string;
    name: string;
    verdict: string;
    cases: number;
    notes: string[];
    passedBy: { standIn: string; cases: string[]; assertions: { type: string; message: string }[] }[];
    undecided: { standIn: string; reason: string }[];
  }[];
}

const suites = (tests: string, tools = ""): string => `version: 1
models: [{ id: gpt, provider: openai, model: gpt-4.1-mini }]
suites:
  - name: s
    tools:
      - name: lookup
        parameters:
          type: object
          properties: { id: { type: string, pattern: "^ORD-\\\\d+$" }, kind: { enum: [open, sent] }, more: { type: string } }
          required: [id, kind]
        default: { return: { status: sent } }${tools}
    tests:${tests}
`;

async function vacuity(files: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const cwd = makeProject(files);
  const ran = await runCli(["test", "--vacuity", "--json", ...args], { cwd, openModules: sharedModules });
  const report = JSON.parse(ran.stdout || "{}") as Report;
  const tests = Object.fromEntries((report.tests ?? []).map((test) => [test.name, test]));
  return { ...ran, cwd, report, tests };
}

const passersOf = (test: Report["tests"][number] | undefined): string[] | undefined =>
  test?.passedBy.map(({ standIn }) => standIn);

describe.concurrent("kindlm test --vacuity", () => {
  it("names goals of attacks that hold without an attack", async () => {
    const faults = (goal: string): string => `faults: [{ tool: lookup, kind: inject, text: Obey, goal: [${goal}] }]`;
    const sound = `input: hi, assert: [{ type: tool_called, tool: lookup, args: { id: ORD-7 } }]`;
    const { code, report, tests } = await vacuity({
      "kindlm.yaml": suites(`
      - { name: met, ${faults("{ type: tool_not_called, tool: lookup }, { type: length, max: 9 }")}, ${sound} }
      - { name: unmet, ${faults("{ type: contains, value: obeyed }")}, ${sound} }`),
    });
    expect(code).toBe(1);
    expect(report.reasons).toEqual(["1 goal of attacks holds without an attack"]);
    expect(tests).toMatchObject({ met: { verdict: "sound", metGoals: ["inject:lookup"] }, unmet: { notes: [] } });
    expect(tests["met"]?.notes[0]).toContain(
      "the goal of the attack inject:lookup holds for an agent that does nothing",
    );
  });

  it("lists what each stand-in passes, with the assertions that hold for it", async () => {
    const { code, report, tests, cwd } = await vacuity({
      "kindlm.yaml": suites(`
      - { name: nothing-wrong, input: hi, assert: [{ type: tool_not_called, tool: lookup }, { type: no_pii }] }
      - { name: any-words, input: hi, assert: [{ type: length, min: 5 }] }
      - { name: any-call, input: hi, assert: [{ type: tool_called, tool: lookup, args: { id: { $regex: ORD }, kind: open } }] }
      - { name: right-call, input: hi, assert: [{ type: tool_called, tool: lookup, args: { id: ORD-7 } }] }
      - { name: says-so, input: hi, assert: [{ type: tool_called, tool: lookup }, { type: contains, value: sent }] }
      - { name: refuses, guardrail: true, input: hi, assert: [{ type: contains, value: sorry, ignore_case: true }] }
      - { name: no-guardrail, guardrail: true, input: hi, assert: [{ type: contains, value: zebra }] }
      - { name: off, skip: later, input: hi, assert: [{ type: contains, value: x }] }`),
    });
    expect(code).toBe(1);
    expect(report.tests.map(({ name, verdict }) => [name, verdict])).toEqual([
      ["nothing-wrong", "vacuous"],
      ["any-words", "vacuous"],
      ["any-call", "vacuous"],
      ["right-call", "sound"],
      ["says-so", "sound"],
      ["refuses", "guardrail"],
      ["no-guardrail", "sound"],
      ["off", "skipped"],
    ]);
    expect(passersOf(tests["nothing-wrong"])).toEqual(["silent", "sorry"]);
    expect(passersOf(tests["any-words"])).toEqual(["sorry", "eager"]);
    expect(passersOf(tests["any-call"])).toEqual(["eager"]);
    expect(passersOf(tests["refuses"])).toEqual(["sorry"]);
    expect(tests["nothing-wrong"]?.passedBy[0]).toMatchObject({
      cases: ["s/nothing-wrong"],
      assertions: [{ type: "tool_not_called" }, { type: "no_pii" }],
    });
    expect(tests["no-guardrail"]?.notes).toEqual(["it has guardrail: true, but no stub agent passes it"]);
    expect(report.reasons).toEqual(["3 tests are vacuous"]);
    expect(readdirSync(cwd)).not.toContain(".kindlm");
  });

  it("goes through every row and fault, once whatever the models, and reports by test", async () => {
    const { tests } = await vacuity(
      {
        "kindlm.yaml": suites(`
      - name: rows
        rows: [{ id: a, word: Done }, { id: b, word: zebra }]
        input: hi
        assert: [{ type: contains, value: "{{word}}" }]
      - name: faults
        input: hi
        faults: { expand: true, list: [{ tool: lookup, kind: error, call: 1, error: { type: runtime, message: down } }] }
        assert: [{ type: recovers_from, tool: lookup }]`).replace(
          "models: [",
          "models: [{ id: b, provider: openai, model: x }, ",
        ),
      },
      [],
    );
    expect(tests["rows"]).toMatchObject({
      cases: 2,
      verdict: "vacuous",
      passedBy: [{ standIn: "eager", cases: ["s/rows[a]"] }],
    });
    expect(tests["faults"]).toMatchObject({ cases: 2 });
  });

  it("runs no real tool, asks no server, and starts no agent", async () => {
    const server = await startServer((_request, response) => void response.end("{}"));
    const touch = (name: string): string => `[node, -e, "require('fs').writeFileSync('${name}', '')"]`;
    const { cwd, tests, stderr } = await vacuity({
      "tools.mjs": "import { writeFileSync } from 'node:fs'; writeFileSync('module', ''); export const more = [];",
      "kindlm.yaml": suites(
        `
      - { name: tools, input: hi, assert: [{ all_of: [{ type: tool_called, tool: run }, { type: tool_called, tool: ask }] }] }
      - { name: fallback, input: hi, assert: [{ type: tool_called, tool: ask, result: { cached: true } }] }
      - { name: unknown, input: hi, assert: [{ type: tool_called, tool: of_server }] }
      - { name: agent, target: { command: ${touch("agent")} }, input: hi, assert: [{ type: tool_called, tool: own }] }
      - { name: user, simulated_user: { goal: g, model: openai:gpt-4.1 }, assert: [{ type: conversation_ended, by: goal }] }
      - { name: left, simulated_user: { goal: g, model: openai:gpt-4.1 }, assert: [{ type: conversation_ended, by: gave_up }] }
      - { name: slow, input: hi, assert: [{ type: tool_called, tool: slow, result: done }] }`,
        `
      - { name: run, command: ${touch("command")} }
      - { name: ask, url: "${server.url}", fallback: { default: { return: { cached: true } } } }
      - { name: slow, default: { return: done, delay: 30s } }
      - { module: ./tools.mjs#more }`,
      ).replace("    tests:", `    mcp_servers: [{ name: files, command: ${touch("server")} }]\n    tests:`),
    });
    await server.close();
    expect(stderr).toBe("");
    expect(server.requests).toEqual([]);
    for (const name of ["command", "agent", "server", "module"]) expect(existsSync(join(cwd, name)), name).toBe(false);
    for (const name of ["tools", "fallback", "unknown", "agent", "slow"]) {
      expect(passersOf(tests[name]), name).toEqual(["eager"]);
    }
    expect(tests["unknown"]?.notes.join()).toContain("were not queried");
    expect(tests["user"]?.verdict).toBe("sound");
    expect(tests["left"]?.verdict).toBe("vacuous");
  });

  it("leaves undecided what cannot be evaluated, and what it fails anyway sound", async () => {
    const { code, tests, report } = await vacuity({
      "check.mjs":
        "export const broken = () => { throw new Error('no'); }; export const good = () => new Promise((ok) => setTimeout(ok, 100, true));",
      "kindlm.yaml": suites(`
      - { name: broken, input: hi, assert: [{ type: module, module: "./check.mjs#broken" }] }
      - { name: fails-first, input: hi, assert: [{ type: contains, value: zebra }, { type: module, module: "./check.mjs#broken" }] }
      - { name: takes-time, guardrail: true, input: hi, assert: [{ type: module, module: "./check.mjs#good" }] }`),
    });
    expect(code).toBe(0);
    expect(report.isPassing).toBe(true);
    expect(tests["broken"]).toMatchObject({ verdict: "undecided", undecided: [{ standIn: "silent" }, {}, {}] });
    expect(tests["fails-first"]?.verdict).toBe("sound");
    expect(tests["takes-time"]?.verdict).toBe("guardrail");
  });

  it("asks no judge, so that what rests on one is not decided", async () => {
    const judged = `version: 1
models:
  - { id: m, provider: scripted, script: { otherwise: { text: fine } } }
  - { id: j, provider: scripted, script: { otherwise: { json: { reasoning: Polite., score: 1 } } } }
defaults: { judge: j, models: [m] }
suites:
  - name: s
    tests:
      - { name: rests, input: hi, assert: [{ type: judge, criteria: It is polite }, { type: no_pii }] }
      - { name: either, input: hi, assert: [{ any_of: [{ type: judge, criteria: Polite }, { type: equals, value: zebra }] }] }
      - { name: fails, input: hi, assert: [{ type: judge, criteria: It is polite }, { type: contains, value: zebra }] }
`;
    const { code, tests } = await vacuity({ "kindlm.yaml": judged });
    expect(code).toBe(0);
    expect(["rests", "either", "fails"].map((name) => tests[name]?.verdict)).toEqual([
      "undecided",
      "undecided",
      "sound",
    ]);
    expect(tests["rests"]?.undecided[0]?.reason).toContain(
      "the other assertions need judge, which is not evaluated here",
    );
  });

  it("says where no arguments can be made up", async () => {
    const { tests } = await vacuity({
      "kindlm.yaml": suites(
        `
      - { name: odd, input: hi, assert: [{ type: tool_called, tool: odd }] }`,
        `
      - { name: odd, parameters: { type: object, properties: { a: { type: string, pattern: "^(?=x)y" } }, required: [a] }, default: { return: 1 } }`,
      ),
    });
    expect(tests["odd"]).toMatchObject({ verdict: "sound" });
    expect(tests["odd"]?.notes).toEqual(["no valid arguments could be generated for odd, so no stub agent calls it"]);
  });

  it("is no pass where a suite cannot run, or nothing is there to look at", async () => {
    const broken = suites(`
      - { name: fine, input: hi, assert: [{ type: contains, value: zebra }] }
  - name: bad
    tests: [{ name: t, input: hi, assert: [{ type: contians, value: x }] }]`);
    expect(await vacuity({ "kindlm.yaml": broken })).toMatchObject({
      code: 1,
      report: { reasons: ["the suite bad cannot run"] },
    });
    const skipped = suites(`
      - { name: fine, skip: true, input: hi, assert: [{ type: contains, value: zebra }] }`);
    expect(await vacuity({ "kindlm.yaml": skipped })).toMatchObject({
      code: 1,
      report: { reasons: ["no test was checked"] },
    });
  });

  it.each([
    [["--vacuity", "--list"], "--vacuity cannot be combined with --list"],
    [["--vacuity", "--rerun-failed"], "--vacuity cannot be combined with --rerun-failed"],
    [["--vacuity", "--reporter", "junit"], "--vacuity does not support the junit reporter"],
    [["--json"], "--json needs --list or --vacuity"],
  ])("%j", async (args, message) => {
    const cwd = makeProject({ "kindlm.yaml": suites("\n      - { name: t, input: hi, assert: [{ type: no_pii }] }") });
    const { code, stderr } = await runCli(["test", ...args], { cwd });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(message) as string });
  });

  it("shows it to people, and writes both forms into files", async () => {
    const cwd = makeProject({
      "kindlm.yaml": suites(`
      - { name: t, input: hi, assert: [{ type: no_pii }] }
      - { name: polite, guardrail: true, input: hi, assert: [{ type: no_pii }] }`),
    });
    const args = ["test", "--vacuity", "--reporter", "json=out/v.json", "--reporter", "pretty"];
    const { code, stdout } = await runCli(args, { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain("  ✗ s/t\n      silent passes\n        no_pii: The answer contains no personal data\n");
    expect(stdout).toContain("Guardrails, which stub agents may pass\n\n  ✓ s/polite\n");
    expect(stdout).toContain("Vacuity: 0 sound, 1 vacuous, 0 not decided, 1 guardrail, 0 skipped\nExit code: 1\n");
    expect(existsSync(join(cwd, "out", "v.json"))).toBe(true);
  });

  it("finds nothing vacuous in the example", async () => {
    const { code, stdout } = await runCli(["test", "--vacuity", "-c", "kindlm.yaml.example"], { cwd: repository });
    expect(stdout).toContain("Vacuity: 7 sound, 0 vacuous, 0 not decided, 1 guardrail, 0 skipped");
    expect(code).toBe(0);
  });
});
