import { describe, expect, it, onTestFinished } from "vitest";
import { version } from "../packages/cli/src/version.js";
import { createManualClock } from "../packages/core/src/__fixtures__/manual-clock.js";
import { createSystemClock, type Clock } from "../packages/core/src/values/clock.js";
import { makeProject, type ProjectFiles } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli, stable, type CliOutcome } from "./support/run-cli.js";
import {
  refusedUrl,
  sendJson,
  startServer,
  type Handler,
  type LoopbackServer,
} from "../packages/core/src/__fixtures__/start-server.js";

const canary = "canary-0f9a1b2c3d4e5f60718293a4";
const env = { OPENAI_API_KEY: canary };
const models = { object: "list", data: [{ id: "model-1" }, { id: "model-2" }] };

const listing: Handler = (_request, response) => sendJson(response, 200, models);
const status =
  (code: number): Handler =>
  (request, response) =>
    sendJson(response, code, { error: { message: `Your key ${String(request.headers.authorization)} is odd` } });

async function serve(handler: Handler): Promise<LoopbackServer> {
  const server = await startServer(handler);
  onTestFinished(() => server.close());
  return server;
}

interface Project {
  /** Of the provider, without `/v1`. */
  url: string;
  provider?: string;
  model?: string;
  files?: ProjectFiles;
  /** Changes the config. */
  edit?(config: string): string;
}

function project({
  url,
  provider = "openai",
  model = "model-1",
  files = {},
  edit = (config) => config,
}: Project): string {
  const type = provider === "openai" || provider === "anthropic" ? "" : "type: openai, ";
  const config = `version: 1
providers:
  ${provider}: { ${type}base_url: "${url}/v1" }
models:
  - { id: m, provider: ${provider}, model: ${model} }
suites:
  - name: s
    tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }]
`;
  return makeProject({ "kindlm.yaml": edit(config), ...files });
}

interface Report {
  healthy: boolean;
  checks: { name: string; provider: string | null; status: string; message: string; fix?: string }[];
}

async function report(
  cwd: string,
  given: Readonly<Record<string, string>> = env,
  args: readonly string[] = [],
  clock: Clock = createSystemClock(),
) {
  const ran = await runCli(["doctor", "--json", ...args], { cwd, env: given, clock });
  const parsed = JSON.parse(ran.stdout) as Report;
  expect(ran.code).toBe(parsed.healthy ? 0 : 1);
  return { ran, ...parsed, of: (name: string) => parsed.checks.filter((check) => check.name === name) };
}

function hasNoKey(ran: CliOutcome, key = canary): void {
  const output = ran.stdout + ran.stderr;
  for (const form of [key, Buffer.from(key).toString("base64"), encodeURIComponent(key), key.slice(0, 12)]) {
    expect(output).not.toContain(form);
  }
}

describe("kindlm doctor", () => {
  it("says that all is well, in lines that stand below each other", async () => {
    const server = await serve(listing);
    const cwd = project({ url: server.url, files: { ".env": `OPENAI_API_KEY=${canary}\n` } });
    const ran = await runCli(["doctor"], { cwd });
    expect(stable(ran.stdout, cwd).replace(/^(. Node.js {3})[\d.]+/m, "$1<node>")).toBe(`✓ KindLM    ${version}
✓ Node.js   <node> (KindLM needs 20.19 or newer)
· terminal  stdout is not a terminal, so progress is plain lines, without colors
✓ config    kindlm.yaml: 1 suite, 1 test, 1 model
✓ .env      .env is read
✓ clock     agrees with the servers

OpenAI (http://127.0.0.1:<port>/v1)
✓ key       OPENAI_API_KEY is set
✓ server    reachable, key accepted
✓ model m   the server lists model-1
· price m   unknown

Ready to run
`);
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
    expect(server.requests).toMatchObject([
      { method: "GET", path: "/v1/models", headers: { authorization: `Bearer ${canary}` } },
    ]);
    hasNoKey(ran);
  });

  it.each([
    [401, "failed", "reachable, key refused (status 401)"],
    [403, "failed", "reachable, key refused (status 403)"],
    [404, "warning", "reachable (status 404, key not checked)"],
    [429, "warning", "reachable (status 429, key not checked)"],
    [500, "warning", "reachable (status 500, key not checked)"],
  ])("a server that answers %i: %s", async (code, level, message) => {
    const server = await serve(status(code));
    const { of, healthy, ran } = await report(project({ url: server.url }));
    expect(of("server")).toMatchObject([{ status: level, message }]);
    expect(healthy).toBe(level !== "failed");
    hasNoKey(ran);
  });

  it("a closed port is unreachable", async () => {
    const url = await refusedUrl();
    const { of, healthy } = await report(project({ url }));
    expect(of("server")).toMatchObject([
      { status: "failed", message: expect.stringMatching(/^Failed to connect to OpenAI: .*ECONNREFUSED/) },
    ]);
    expect(healthy).toBe(false);
  });

  it("gives servers that do not answer five seconds, all of them at once", async () => {
    const clock = createManualClock({ start: Date.now() });
    const server = await serve(({ number }) => {
      // Both wait now.
      if (number === 2) clock.advance(5_000);
    });
    const edit = (config: string): string =>
      config
        .replace("models:", `  other: { type: openai, base_url: "${server.url}/other" }\nmodels:`)
        .replace("suites:", "  - { id: n, provider: other, model: x }\nsuites:");
    const { of } = await report(project({ url: server.url, edit }), env, [], clock);
    expect(of("server")).toMatchObject([
      { status: "failed", message: expect.stringContaining("OpenAI request timed out after 5000ms") },
      { status: "failed", message: expect.stringContaining("other request timed out after 5000ms") },
    ]);
    expect(server.requests).toHaveLength(2);
  });

  it("a missing key fails, and the server is asked all the same", async () => {
    const server = await serve(status(401));
    const edit = (config: string): string => config.replace("base_url", "api_key_env: LOCAL_KEY, base_url");
    const cwd = project({ url: server.url, provider: "local", edit });
    const { of } = await report(cwd, {});
    expect(of("key")).toMatchObject([
      { status: "failed", message: "LOCAL_KEY is not set", fix: "Set LOCAL_KEY in your environment or .env file" },
    ]);
    expect(of("server")).toMatchObject([{ status: "ok", message: "reachable" }]);
    expect(server.requests).toHaveLength(1);
  });

  it("a server of one's own needs no key, unless it says so", async () => {
    const open = await serve(listing);
    const closed = await serve(status(401));
    const free = await report(project({ url: open.url, provider: "local" }), {});
    expect(free.of("key")).toMatchObject([{ status: "info" }]);
    expect(free.of("server")).toMatchObject([{ status: "ok", message: "reachable" }]);
    const wanting = await report(project({ url: closed.url, provider: "local" }), {});
    expect(wanting.of("server")).toMatchObject([
      { status: "failed", message: "reachable, but it requires a key (status 401)" },
    ]);
  });

  it("names the model that may have been meant", async () => {
    const server = await serve(listing);
    const { of, healthy } = await report(project({ url: server.url, model: "modle-1" }));
    expect(of("model")).toMatchObject([
      {
        status: "warning",
        message: "modle-1 is not among the 2 models that the server lists",
        fix: 'Did you mean "model-1"?',
      },
    ]);
    expect(healthy).toBe(true);
  });

  it("reads the list of Anthropic, and draws no conclusion from its first page", async () => {
    const page =
      (hasMore: boolean): Handler =>
      (_request, response) =>
        sendJson(response, 200, { data: [{ type: "model", id: "claude-haiku-4-5-20251001" }], has_more: hasMore });
    const ask = async (handler: Handler, model: string) => {
      const { url } = await serve(handler);
      const { of } = await report(project({ url, provider: "anthropic", model }), { ANTHROPIC_API_KEY: canary });
      return of("model").map((check) => check.status);
    };
    expect(await ask(page(false), "claude-haiku-4-5")).toEqual(["ok"]);
    expect(await ask(page(false), "claude-opus-5")).toEqual(["warning"]);
    expect(await ask(page(true), "claude-opus-5")).toEqual([]);
  });

  it.each(["<html>Hello</html>", "{}", '{"data":[{"label":"x"}]}', ""])("bears %j instead of a list", async (body) => {
    const server = await serve((_request, response) => void response.writeHead(200).end(body));
    const { of, healthy } = await report(project({ url: server.url }));
    expect(of("server")).toMatchObject([{ status: "ok" }]);
    expect({ models: of("model"), healthy }).toEqual({ models: [], healthy: true });
  });

  it("asks a server once, whatever the number of its models, and says which prices are unknown", async () => {
    const server = await serve(listing);
    const more = `  - { id: n, provider: openai, model: gpt-4.1-mini }
  - { id: own, provider: openai, model: model-2, pricing: { input: 1, output: 2 } }
limits: { max_cost: 1 }
suites:`;
    const cwd = project({ url: server.url, edit: (config) => config.replace("suites:", more) });
    const { of } = await report(cwd);
    expect(server.requests).toHaveLength(1);
    expect(of("price")).toMatchObject([
      { model: "m", status: "warning", message: expect.stringContaining("unknown") },
      { model: "n", status: "ok", message: "$0.4 in, $1.6 out per million tokens" },
      { model: "own", status: "ok", message: "$1 in, $2 out per million tokens" },
    ]);
  });

  it("asks the server of a model that may stand in for the one under test", async () => {
    const [first, second] = await Promise.all([serve(listing), serve(status(401))]);
    const withFallback = (allowed: boolean) => (config: string) =>
      config
        .replace("models:", `  other: { type: openai, base_url: "${second.url}/v1", api_key_env: OTHER_KEY }\nmodels:`)
        .replace(" }\nsuites:", `, fallback: [n], allow_fallback: ${allowed} }\nsuites:`)
        .replace("suites:", "  - { id: n, provider: other, model: x }\ndefaults: { models: [m] }\nsuites:");
    const given = { ...env, OTHER_KEY: canary };
    const allowed = await report(project({ url: first.url, edit: withFallback(true) }), given);
    expect(allowed.of("server").map((check) => check.status)).toEqual(["ok", "failed"]);
    const forbidden = await report(project({ url: first.url, edit: withFallback(false) }), given);
    expect(forbidden.of("server").map((check) => check.status)).toEqual(["ok"]);
  });

  it.each([
    [60 * 60_000, "warning", "behind the servers"],
    [-60 * 60_000, "warning", "ahead of the servers"],
    [0, "ok", "agrees with the servers"],
  ])("a server whose clock is %i ms ahead: %s", async (aheadMs, level, words) => {
    const server = await serve((_request, response) => {
      sendJson(response, 200, models, { date: new Date(Date.now() + aheadMs).toUTCString() });
    });
    const { of } = await report(project({ url: server.url }));
    expect(of("clock")).toMatchObject([{ status: level, message: expect.stringContaining(words) }]);
  });

  it("--offline sends nothing and still finds the missing key", async () => {
    const server = await serve(listing);
    expect((await report(project({ url: server.url }), env, ["--offline"])).healthy).toBe(true);
    expect(server.requests).toHaveLength(0);
    const official = project({ url: server.url, edit: (config) => config.replace(/base_url: "[^"]*"/, "") });
    const ran = await runCli(["doctor", "--offline"], { cwd: official });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("✗ key       OPENAI_API_KEY is not set\n");
    expect(ran.stdout).toMatch(/\n1 problem\n$/);
  });

  it("has nothing to check for a scripted model", async () => {
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites: [{ name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }]
`,
    });
    const { of, healthy } = await report(cwd, {});
    expect(of("server")).toMatchObject([{ status: "info", message: "offline, nothing to check" }]);
    expect({ keys: of("key"), healthy }).toEqual({ keys: [], healthy: true });
  });

  it("reports a config that is wrong as every command does", async () => {
    const cwd = makeProject({ "kindlm.yaml": "version: 1\nmodles: []\nsuites: []\n" });
    const [doctor, validate] = await Promise.all([runCli(["doctor"], { cwd }), runCli(["validate"], { cwd })]);
    expect(doctor).toMatchObject({ code: 1, stdout: "", stderr: validate.stderr });
    expect(doctor.stderr).toContain("modles");
    const asJson = await runCli(["doctor", "--json"], { cwd });
    expect(JSON.parse(asJson.stdout)).toMatchObject({ healthy: false, error: { code: "CONFIG_VALIDATION_ERROR" } });
  });

  it("reports a suite that cannot run", async () => {
    const server = await serve(listing);
    const broken = "  - { name: b, tests: [{ name: t, input: hi, assert: [{ type: contians, value: x }] }] }\n";
    const cwd = project({ url: server.url, edit: (config) => config + broken });
    const { of, healthy } = await report(cwd);
    expect(of("suite")).toMatchObject([{ status: "failed", message: expect.stringContaining("b cannot run") }]);
    expect(healthy).toBe(false);
  });
});

describe("a secret", () => {
  const echo: Handler = (request, response) => {
    const key = String(request.headers.authorization).replace("Bearer ", "");
    sendJson(response, 200, { data: [{ id: `${key}-1` }, { id: `model-${Buffer.from(key).toString("base64")}` }] });
  };
  const verbose = { DEBUG: "kindlm*", ...env };

  it.each([
    ["a server that lists it", echo],
    ["a server that refuses it", status(401)],
    ["a server that fails on it", status(500)],
    ["a server that cuts the connection", (_request, response) => void response.destroy()],
  ] satisfies [string, Handler][])("of %s is in no output", async (_name, handler) => {
    const server = await serve(handler);
    const cwd = project({ url: server.url, model: "model" });
    const plain = await runCli(["doctor", "--verbose"], { cwd, env: verbose });
    const asJson = await runCli(["doctor", "--json", "--verbose"], { cwd, env: verbose });
    expect(server.requests[0]?.headers.authorization).toContain(canary);
    for (const ran of [plain, asJson]) hasNoKey(ran);
  });

  it("in an address or a header of the config is in no output", async () => {
    const address = `http://user:${canary}@127.0.0.1:1/v1?key=${canary}`;
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
providers: { local: { type: openai, base_url: "\${ADDRESS}", headers: { x-gateway: "\${GATE}" } } }
models: [{ id: m, provider: local, model: x }]
suites: [{ name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: a }] }] }]
`,
    });
    const ran = await runCli(["doctor", "--verbose"], {
      cwd,
      env: { DEBUG: "kindlm*", ADDRESS: address, GATE: canary },
    });
    expect(ran.code).toBe(1);
    hasNoKey(ran);
  });

  it("is told by its name alone: another one gives the same output", async () => {
    const server = await serve(listing);
    const cwd = project({ url: server.url });
    const shown = async (key: string): Promise<string> =>
      (await runCli(["doctor"], { cwd, env: { OPENAI_API_KEY: key } })).stdout;
    const first = await shown(canary);
    expect(first).toContain("✓ key       OPENAI_API_KEY is set\n");
    expect(await shown(`${canary}${canary}`)).toBe(first);
  });
});

describe("in a terminal's company", () => {
  it("bears a reader that stops reading", async () => {
    const server = await serve(listing);
    const cwd = project({ url: server.url });
    const ran = await runCli(["doctor", "--offline", "--json"], { cwd, env, readerLeavesAfter: 20 });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toHaveLength(20);
  });

  it("ends at once when it is interrupted", async () => {
    const interrupt = new AbortController();
    const server = await serve(() => interrupt.abort());
    const cwd = project({ url: server.url });
    const ran = await runCli(["doctor"], { cwd, env, clock: createManualClock(), interrupt: interrupt.signal });
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/✗ The check was interrupted\n\s+Start the command again\n/);
  });

  it("has colors where they are wanted", async () => {
    const server = await serve(listing);
    const cwd = project({ url: server.url });
    const coloured = await runCli(["doctor"], { cwd, env: { ...env, FORCE_COLOR: "1" } });
    expect(coloured.stdout).toContain("\u001b[32m✓\u001b[39m key");
    expect((await runCli(["doctor", "--no-color"], { cwd, env })).stdout).not.toContain("\u001b");
  });
});
