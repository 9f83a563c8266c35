import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { dumpTables } from "../packages/server/src/__fixtures__/dump-tables.js";
import { startListeningServer, type ListeningServer } from "../packages/server/src/__fixtures__/listen.js";
import type { LogEntry } from "../packages/server/src/api/app-world.js";
import { Deliverer } from "../packages/server/src/webhooks/deliverer.js";
import { runCli } from "./support/run-cli.js";

/** Said by somebody in a trial. The path is that of the project. */
const said = [
  "answer",
  "argument",
  "invented-tool",
  "result",
  "row",
  "provider",
  "expected",
  "follow-up",
  "tool-error",
];
const canaries = said.map((name) => `${name}-canary`);
/** Prompts are of the config, and in no upload at all. */
const prompt = "prompt-canary";
const secrets = { SHOP_API_KEY: "environment-canary", SHOP_PASSWORD: "file-canary-of-env" };

const project = {
  "kindlm.yaml": `version: 1
project: shop
models: [{ id: m, provider: scripted, script: script.yaml }]
suites:
  - name: s
    system_prompt: ${prompt}
    tools:
      - { name: look, responses: [{ return: { status: result-canary } }] }
      - { name: fail, responses: [{ error: { message: tool-error-canary } }] }
    tests:
      - { name: a, input: "look {{ word }}", rows: [{ id: one, word: row-canary }], assert: [{ type: contains, value: expected-canary }] }
      - { name: b, input: broken, assert: [{ type: contains, value: other }] }
      - { name: c, conversation: [{ user: hello }, { user: follow-up-canary }], assert: [{ type: contains, value: other }] }
      - { name: d, input: fail, assert: [{ type: contains, value: other }] }
`,
  "script.yaml": `rules:
  - { when: { user: { $contains: look }, turn: 1 }, reply: { tool_calls: [{ tool: look, args: { id: argument-canary } }, { tool: invented-tool-canary, args: {} }] } }
  - { when: { user: fail, turn: 1 }, reply: { tool_calls: [{ tool: fail, args: {} }] } }
  - { when: { user: broken }, reply: { error: { status: 404, body: provider-canary } } }
otherwise: { text: "answer-canary ${secrets.SHOP_API_KEY} ${secrets.SHOP_PASSWORD}" }
`,
  ".env": `SHOP_PASSWORD=${secrets.SHOP_PASSWORD}\n`,
};

/** Everything that a server got, keeps, says and sends of it. */
async function everything(server: ListeningServer) {
  const { received, opened, logs, send, clock } = server;
  const log = (entry: LogEntry): void => void logs.push(entry);
  const deliverer = new Deliverer({ database: opened.database, now: () => clock.now, log, mayConnect: () => true });
  await deliverer.deliverDue();
  await deliverer.settle();
  const bodies = received.map(({ path, headers, body }) => {
    const text = headers.get("content-encoding") === "gzip" ? gunzipSync(body) : body;
    return `${path} ${JSON.stringify([...headers])} ${text.toString("utf8")}`;
  });
  const shown = await send("/projects/shop/runs");
  return {
    bodies: bodies.join("\n"),
    database: await dumpTables(opened.database),
    log: JSON.stringify(logs),
    answer: shown.text,
  };
}

async function startWithWebhook(accepts: string): Promise<ListeningServer> {
  const server = await startListeningServer({ accepts, allowsPrivateWebhooks: true });
  // Tests share a database, and a deliverer sends what is due in all of it.
  await server.opened.database.deleteFrom("webhooks").execute();
  const body = { url: `${server.url}/hook`, events: ["run.completed", "run.failed", "run.regressed", "case.flaky"] };
  expect(await server.send("/projects/shop/webhooks", { method: "POST", body })).toMatchObject({ status: 201 });
  return server;
}

it("uploads have measurements only, more if both sides want it, and no secret", async () => {
  const server = await startWithWebhook("");
  const cwd = makeProject(project);
  const { SHOP_API_KEY } = secrets;
  const envFor = ({ url, token }: ListeningServer) => ({ KINDLM_SERVER: url, KINDLM_TOKEN: token, SHOP_API_KEY });
  const ran = await runCli(["test", "--upload"], { cwd, env: envFor(server) });
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(`Uploaded: ${server.url}/r/`)]);
  // What the server refuses is not in its log either.
  const refused = await runCli(["upload", "--transcripts"], { cwd, env: envFor(server) });
  expect(refused.stderr).toContain('✗ Project "shop" does not accept messages\n');
  server.received.pop();
  const places = await everything(server);
  expect(places.database).toContain("run.failed");
  expect(places.bodies).toContain("s/a[one]@m");
  expect(places.bodies).toMatch(/^\/hook .*"run\.failed"/m);
  for (const [name, text] of Object.entries(places)) {
    for (const canary of [...canaries, ...Object.values(secrets), prompt, cwd])
      expect(text, name).not.toContain(canary);
  }

  const open = await startWithWebhook("messages transcripts");
  expect((await runCli(["upload", "--transcripts"], { cwd, env: envFor(open) })).stderr).toContain("Uploaded: ");
  const dry = await runCli(["upload", "--dry-run", "--transcripts"], { cwd, env: { SHOP_API_KEY } });
  const all = { ...(await everything(open)), dry: dry.stdout };
  for (const canary of canaries)
    expect([all.bodies, all.database, all.dry], canary).toEqual([
      expect.stringContaining(canary),
      expect.stringContaining(canary),
      expect.stringContaining(canary),
    ]);
  for (const [name, text] of Object.entries(all)) {
    for (const secret of Object.values(secrets)) expect(text, name).not.toContain(secret);
    // The token is in the header of each request, and else nowhere.
    if (name !== "bodies") expect(text, name).not.toContain(open.token);
  }
  for (const canary of [...canaries, prompt]) expect(all.log).not.toContain(canary);
});
