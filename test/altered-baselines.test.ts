import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { secretKey } from "./support/cassette-project.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { runCli } from "./support/run-cli.js";
import { sendJson, startServer, type LoopbackServer } from "../packages/core/src/__fixtures__/start-server.js";

const env = { LOCAL_KEY: secretKey };
let server: LoopbackServer;
/** What the agent does to the project, and what it answers to the first six of eight questions. */
let agent: { act(): void; says: string } = { act() {}, says: "hello" };
/** Baselines of a run in which all passed, and of one in which six failed. */
let good: string;
let bad: string;

const project = (): string =>
  makeProject({
    "kindlm.yaml": `version: 1
exit_on: gates
gates: { regressions: 0, pass_rate: 0.2 }
providers: { local: { type: openai, base_url: "${server.url}/v1", api_key_env: LOCAL_KEY } }
models: [{ id: m, provider: local, model: m-1 }]
suites:
  - name: s
    tests: [{ name: t, rows: [${Array.from({ length: 8 }, (_, n) => `{ id: q${n} }`).join(", ")}], input: "{{row.id}}", assert: [{ type: contains, value: hello }] }]
`,
  });
const baselines = (cwd: string): string => join(cwd, ".kindlm", "baselines");

beforeAll(async () => {
  server = await startServer(({ body }, response) => {
    agent.act();
    sendJson(response, 200, chatCompletion({ text: /"q[0-5]"/.test(body) ? agent.says : "hello" }));
  });
  const setFor = async (says: string): Promise<string> => {
    const cwd = project();
    agent = { act() {}, says };
    await runCli(["test"], { cwd, env });
    expect(await runCli(["baseline", "set"], { cwd, env })).toMatchObject({ code: 0 });
    return baselines(cwd);
  };
  good = await setFor("hello");
  bad = await setFor("no");
});

afterAll(() => server.close());

/** The agent got worse, and does something to a project that has these baselines. */
async function run(before: string | null, act: (folder: string) => void) {
  const cwd = project();
  if (before !== null) cpSync(before, baselines(cwd), { recursive: true });
  agent = { act: () => act(baselines(cwd)), says: "no" };
  const ran = await runCli(["test"], { cwd, env });
  return { ...ran, cwd };
}

describe("an agent that got worse", () => {
  it("is regressed if it leaves its baseline alone", async () => {
    const { code, stdout } = await run(good, () => {});
    expect([code, stdout]).toEqual([1, expect.stringContaining("▼ s   regressed")]);
  });

  it.each<[string, string | null, (folder: string) => void]>([
    ["deletes its baseline", "good", (folder) => rmSync(folder, { recursive: true, force: true })],
    ["puts a worse one in its place", "good", (folder) => cpSync(bad, folder, { recursive: true })],
    [
      "writes one where none was",
      null,
      (folder) => {
        mkdirSync(folder, { recursive: true });
        if (!existsSync(join(folder, "s.json"))) cpSync(bad, folder, { recursive: true });
      },
    ],
  ])("fails the run when it %s", async (_how, before, act) => {
    const { code, stdout, cwd } = await run(before === null ? null : good, act);
    const why = "The baseline .kindlm/baselines/s.json changed during the run, so it is not used";
    expect([code, stdout]).toEqual([1, expect.stringContaining(`✗ ${why}`)]);
    expect(stdout).toContain(`✗ regressions cannot be evaluated: ${why}`);
    // What is there now can be compared with by whoever wants that.
    const later = await runCli(["baseline", "compare"], { cwd, env });
    expect(later.stdout + later.stderr).toContain(
      existsSync(baselines(cwd)) ? "= s   no change seen" : "Baseline not found",
    );
  });
});
