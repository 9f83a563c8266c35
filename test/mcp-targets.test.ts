import { cpSync, existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sendJson, startServer } from "../packages/core/src/__fixtures__/start-server.js";
import { mcpFakeServer } from "./support/mcp-fake-server.js";
import { repository, runCli } from "./support/run-cli.js";
import { startWatch } from "./support/start-watch.js";
import { commandOf } from "./support/start-everything.js";

interface ReportedCall {
  tool: string;
  result?: unknown;
  error?: { errorType: string; message: string };
  events?: { name: string; data: unknown }[];
}
interface ReportedTest {
  id: string;
  status: string;
  trials: {
    status: string;
    output?: string;
    error?: { code: string; message: string };
    toolCalls: ReportedCall[];
    assertions: { message: string; pass: boolean; actual?: unknown }[];
  }[];
}

const env = { PATH: process.env["PATH"] ?? "" };

/** Runs the tests of a config with these servers, and shows each by name. */
async function run(servers: string, tests: string, files: Record<string, string> = {}, args: readonly string[] = []) {
  const config = `version: 1\nsuites:\n  - name: s\n    mcp_servers:\n      - ${servers}\n    tests:\n${tests.trim().replaceAll(/^ */gm, "      ")}\n`;
  const cwd = realpathSync(makeProject({ "kindlm.yaml": config, ...files }));
  const ran = await runCli(["test", "--reporter", "json", "--verbose", ...args], { cwd, env });
  const report = ran.stdout.startsWith("{")
    ? (JSON.parse(ran.stdout) as { suites: { tests: ReportedTest[] }[] })
    : null;
  const byName = new Map(report?.suites[0]?.tests.map((one) => [one.id.replaceAll(/^s\/|@mcp$/g, ""), one]));
  const statuses = Object.fromEntries([...byName].map(([name, { status }]) => [name, status]));
  return { ...ran, cwd, statuses, trialOf: (name: string) => byName.get(name)?.trials[0] };
}

/** A server over HTTP, by method. `test/tools/mcp-servers.test.ts` speaks with one from npm over HTTP. */
const answers = (protocolVersion = ""): Readonly<Record<string, object>> => ({
  initialize: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "web", version: "1" } },
  "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "Echo: hi" }] },
});
const fromNpm = (name: string, ...args: readonly string[]): string => JSON.stringify([...commandOf(name), ...args]);
const everything = `{ name: everything, command: ${fromNpm("server-everything")}, per: run }`;
const fake = `{ name: fake, command: ["${process.execPath}", server.cjs] }`;
/** One process for all trials. */
const lasting = `{ name: lasting, command: ["${process.execPath}", server.cjs], per: run }`;
const fakeFiles = { "server.cjs": mcpFakeServer };

describe.concurrent("servers from npm", () => {
  it("server-everything: rows, errors, progress, images, resources, prompts, lists and misspelled tools", async () => {
    const { statuses, trialOf } = await run(
      everything,
      `
      - { name: sum, target: { mcp: everything, tool: get-sum, args: { a: "{{a}}", b: 2 } }, rows: [{ id: x, a: 1, sum: 3 }], assert: [{ type: mcp_result, text: { $contains: "is {{sum}}." }, max_duration: 1m }] }
      - { name: refused, target: { mcp: everything, tool: get-sum, args: { a: x } }, assert: [{ type: mcp_error, kind: result, message: { $contains: expected number } }] }
      - { name: structured, target: { mcp: everything, tool: get-structured-content, args: { location: New York } }, assert: [{ type: mcp_result, structured: { conditions: Cloudy } }] }
      - { name: long, target: { mcp: everything, tool: trigger-long-running-operation, args: { duration: 0.02, steps: 2 } }, assert: [{ type: mcp_progress, min: 2, max: 2, completes: true }] }
      - { name: image, target: { mcp: everything, tool: get-tiny-image }, assert: [{ type: mcp_result, content: [{}, { type: image, bytes: 4033 }, {}] }] }
      - { name: resource, target: { mcp: everything, resource: "demo://resource/static/document/features.md" }, assert: [{ type: mcp_result, text: { $contains: Everything Server } }] }
      - { name: no-resource, target: { mcp: everything, resource: "demo://nothing" }, assert: [{ type: mcp_error, kind: protocol, code: -32602 }] }
      - { name: prompt, target: { mcp: everything, prompt: args-prompt, args: { city: "{{input}}" } }, input: Bonn, assert: [{ type: contains, value: Bonn }] }
      - { name: prompts, target: { mcp: everything, list: prompts }, assert: [{ type: mcp_result, text: { $contains: simple-prompt } }] }
      - { name: misspelled, target: { mcp: everything, tool: get-smu }, assert: [{ type: mcp_result }] }
      - { name: unlisted, target: { mcp: everything, tool: get-smu, unlisted: true }, assert: [{ type: mcp_error }] }
      `,
    );
    expect(statuses).toEqual({
      ...Object.fromEntries(
        "sum[x] refused structured long image resource no-resource prompt prompts unlisted"
          .split(" ")
          .map((name) => [name, "passed"]),
      ),
      misspelled: "errored",
    });
    expect(trialOf("misspelled")?.error).toMatchObject({
      code: "TARGET_ERROR",
      message: 'The MCP server "everything" has no tool "get-smu". Did you mean "get-sum"?',
    });
    expect(JSON.stringify(trialOf("image"))).not.toContain("iVBOR");
    expect(trialOf("refused")?.toolCalls[0]?.events?.at(-1)).toMatchObject({ name: "error", data: { kind: "result" } });
  });

  it("server-memory and server-filesystem: calls before the test, and denied paths", async () => {
    const memory = `{ name: memory, command: ${fromNpm("server-memory")}, env: { MEMORY_FILE_PATH: "\${MEMORY}" } }`;
    const files = `{ name: files, command: ${fromNpm("server-filesystem", ".")}, per: run }`;
    const folder = realpathSync(makeProject({}));
    const { statuses, trialOf } = await run(
      `${memory.replace('"${MEMORY}"', `"${join(folder, "memory.json")}"`)}\n      - ${files}`,
      `
      - { name: remembers, target: { mcp: memory, before: [{ tool: create_entities, args: { entities: [{ name: "{{who}}", entityType: person, observations: [likes tea] }] } }], tool: search_nodes, args: { query: tea } }, rows: [{ id: a, who: Ada }], assert: [{ type: mcp_result, structured: { entities: [{ name: "{{who}}" }] } }] }
      - { name: before-fails, target: { mcp: files, before: [{ tool: read_text_file, args: { path: none.txt } }], tool: list_allowed_directories }, assert: [{ type: mcp_result }] }
      - { name: denied, target: { mcp: files, tool: read_text_file, args: { path: /etc/passwd } }, assert: [{ type: mcp_error, kind: result, message: { $contains: Access denied } }] }
      - { name: reads, target: { mcp: files, tool: read_text_file, args: { path: note.txt } }, assert: [{ type: contains, value: buy milk }] }
      `,
      { "note.txt": "buy milk" },
    );
    expect(statuses).toEqual({
      "remembers[a]": "passed",
      "before-fails": "errored",
      denied: "passed",
      reads: "passed",
    });
    expect(trialOf("before-fails")?.error?.message).toMatch(/^The call of read_text_file before the test failed: /);
    expect(trialOf("remembers[a]")?.toolCalls.map(({ tool }) => tool)).toEqual(["create_entities", "search_nodes"]);
  });

  it("over HTTP, with a header whose secret no report shows", async () => {
    const { url } = await startServer(({ method: verb, json }, response) => {
      if (verb !== "POST") return void response.writeHead(405).end();
      const { id, method, params } = json as { id?: number; method: string; params?: { protocolVersion?: string } };
      if (id === undefined) return void response.writeHead(202).end();
      const result = answers(params?.protocolVersion)[method];
      sendJson(response, 200, { jsonrpc: "2.0", id, result });
    });
    const seen: unknown[] = [];
    const proxy = await startServer(({ headers }, response) => {
      seen.push(headers["authorization"]);
      response.writeHead(401).end();
    });
    const server = (at: string) => `{ name: web, url: "${at}", headers: { authorization: "Bearer \${MCP_TOKEN}" } }`;
    const test =
      "- { name: echo, target: { mcp: web, tool: echo, args: { message: hi } }, assert: [{ type: equals, value: 'Echo: hi' }] }";
    const config = (at: string) =>
      `version: 1\nsuites:\n  - name: s\n    mcp_servers: [${server(at)}]\n    tests:\n      ${test}\n`;
    const more = { env: { ...env, MCP_TOKEN: "canary-token-7x9" } };
    const good = await runCli(["test"], { cwd: makeProject({ "kindlm.yaml": config(url) }), ...more });
    const cwd = makeProject({ "kindlm.yaml": config(proxy.url) });
    const refused = await runCli(["test"], { cwd, ...more });
    await proxy.close();
    expect([good.code, refused.code]).toEqual([0, 1]);
    expect(seen[0]).toBe("Bearer canary-token-7x9");
    expect(refused.stdout + refused.stderr).toMatch(/! +echo|s\/echo@mcp/);
    expect(refused.stdout + refused.stderr).not.toContain("canary-token-7x9");
  });
});

describe.concurrent("a server that misbehaves", () => {
  it("fails the test with the kind of its error", async () => {
    const kinds = {
      says_no: "result",
      crash: "connection",
      hang: "timeout",
      garbage: "connection",
      breaks: "protocol",
      misshapen: "protocol",
      shape: "output_schema",
    };
    const tests = Object.entries(kinds).map(
      ([tool, kind]) =>
        `- { name: ${tool}, target: { mcp: ${kind === "connection" ? "fake" : "lasting"}, tool: ${tool} }, ${tool === "hang" ? "timeouts: { tool: 200ms }, " : ""}assert: [{ type: mcp_error, kind: ${kind} }] }`,
    );
    const { statuses, trialOf } = await run(
      `${fake}\n      - ${lasting}`,
      [...tests, "- { name: fine, target: { mcp: fake, tool: crash }, assert: [{ type: mcp_result }] }"].join("\n"),
      fakeFiles,
    );
    expect(statuses).toEqual({
      ...Object.fromEntries(Object.keys(kinds).map((tool) => [tool, "passed"])),
      fine: "failed",
    });
    expect(trialOf("fine")?.assertions[0]?.message).toContain("ended with exit code 3: out of memory");
  });

  it("makes the trial errored when it does not start", async () => {
    const { statuses, trialOf } = await run(
      "{ name: gone, command: [no-such-program] }",
      "- { name: t, target: { mcp: gone }, assert: [{ type: mcp_result }] }",
    );
    expect(statuses).toEqual({ t: "errored" });
    expect(trialOf("t")?.error).toMatchObject({
      code: "TARGET_ERROR",
      message: expect.stringContaining("no-such-program"),
    });
  });
});

it("receives the cancellation of a call at Ctrl-C, and leaves no process behind", async () => {
  const watch = await startWatch();
  const listen = `process.stdin.on("data", (data) => { if (String(data).includes("notifications/cancelled")) say("cancelled"); });`;
  const test = "{ name: t, target: { mcp: fake, tool: hang }, assert: [{ type: mcp_result }] }";
  const config = `version: 1\nsuites:\n  - name: s\n    mcp_servers: [${fake}]\n    tests: [${test}]\n`;
  const cwd = makeProject({ "kindlm.yaml": config, "server.cjs": `${watch.preamble}${listen}${mcpFakeServer}` });
  const interrupt = new AbortController();
  const running = runCli(["test"], { cwd, env, interrupt: interrupt.signal });
  await watch.hears("hang");
  interrupt.abort();
  await watch.hears("cancelled");
  expect((await running).code).toBe(1);
  const pid = Number(readFileSync(join(cwd, "starts"), "utf8"));
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

it.concurrent("replays a cassette without the server", async () => {
  const tests =
    "- { name: t, target: { mcp: fake, tool: fine, args: { a: 1 } }, assert: [{ type: equals, value: 'fine {\"a\":1}' }] }\n- { name: no, target: { mcp: fake, tool: says_no }, assert: [{ type: mcp_error, kind: result }] }";
  const { cwd, statuses } = await run(fake, tests, fakeFiles, ["--cassette", "record"]);
  expect(statuses).toEqual({ t: "passed", no: "passed" });
  const copy = makeProject({ "kindlm.yaml": readFileSync(join(cwd, "kindlm.yaml"), "utf8") });
  cpSync(join(cwd, ".kindlm", "cassettes"), join(copy, ".kindlm", "cassettes"), { recursive: true });
  const replayed = await runCli(["test", "--cassette", "replay"], { cwd: copy, env });
  expect([replayed.code, existsSync(join(copy, "starts"))]).toEqual([0, false]);
});

it.each([
  ["target: { mcp: fak }", 'MCP server "fak" not found', 'Did you mean "fake"?'],
  ["target: { mcp: fake, tool: fine, args: { a: '{{b}}' } }", "Unknown placeholder {{b}}", ""],
  ["target: { mcp: fake, tool: fine, args: { a: '{{input}}' } }", "Unknown placeholder {{input}}", ""],
  ["target: { mcp: fake, tool: fine, resource: x }", '"resource" and "tool" cannot be combined', ""],
  ["target: { mcp: fake, args: {} }", '"args" has no effect without "tool" or "prompt"', ""],
  ["target: { mcp: fake }, conversation: [{ user: hi }]", '"conversation" cannot be combined with an MCP target', ""],
  ["target: { mcp: fake, tol: fine }", 'Unknown key "tol"', 'Did you mean "tool"?'],
])("a config says where it is wrong: %s", async (target, message, hint) => {
  const { code, stdout, stderr } = await run(fake, `- { name: t, ${target}, assert: [{ type: mcp_result }] }`);
  expect(code).toBe(1);
  expect(stdout + stderr).toContain(message);
  expect(stdout + stderr).toContain(hint);
});

describe.concurrent("what a server lists", () => {
  const tests =
    "- { name: tools, target: { mcp: notes }, assert: [{ type: mcp_snapshot, file: snapshots/tools.json }] }";
  const notes = `{ name: notes, command: ["${process.execPath}", server.mjs] }`;
  const server = readFileSync(join(repository, "examples", "mcp-server", "server.mjs"), "utf8");

  it("is compared with a snapshot that only --update-snapshots writes, and never in CI", async () => {
    const { cwd, statuses, trialOf } = await run(notes, tests, { "server.mjs": server });
    const file = join(cwd, "snapshots", "tools.json");
    expect([statuses, existsSync(file)]).toEqual([{ tools: "errored" }, false]);
    expect(trialOf("tools")?.error?.message).toMatch(
      /tools\.json does not exist\. Run the test with --update-snapshots/,
    );
    const inCi = await runCli(["test", "--update-snapshots"], { cwd, env: { ...env, CI: "true" } });
    expect([inCi.code, existsSync(file)]).toEqual([1, false]);
    expect(inCi.stderr).toContain("--update-snapshots cannot be used in CI");
    expect((await runCli(["test", "--update-snapshots"], { cwd, env })).code).toBe(0);
    expect((await runCli(["test"], { cwd, env })).code).toBe(0);
    const changed = server
      .replace("Read the text of one note.", "Read notes.")
      .replace("  write_note: {", "  save_note: {");
    const after = await run(notes, tests, {
      "server.mjs": changed,
      "snapshots/tools.json": readFileSync(file, "utf8"),
    });
    const [found] = after.trialOf("tools")?.assertions ?? [];
    expect(found?.message).toMatch(
      /3 items differ: ~ read_note: description: "Read the text.*"; \+ save_note; - write_note$/,
    );
  });

  it("is linted, each rule by itself", async () => {
    const object = { type: "object" };
    const tools = [
      {
        name: "get_user",
        description: "Find one user by its id",
        inputSchema: { ...object, properties: { id: {} }, required: ["id", "name"] },
      },
      { name: "user-get", description: "Find one user by its id", inputSchema: object },
      { name: "list users", description: "x".repeat(2_000), inputSchema: { type: "array" } },
      { name: "bare", inputSchema: object },
      { name: "bare", description: "Another tool", inputSchema: object, outputSchema: { ...object, properties: 5 } },
    ];
    const text = mcpFakeServer.replace(
      /const pages = \{[^]*?\n\};/,
      `const pages = { first: { tools: ${JSON.stringify(tools)} } };`,
    );
    const lint =
      "- { name: lint, target: { mcp: lasting }, assert: [{ type: mcp_lint }] }\n- { name: off, target: { mcp: lasting }, assert: [{ type: mcp_lint, rules: [similar_name], off: [similar_name] }] }\n- { name: ignored, target: { mcp: lasting }, assert: [{ type: mcp_lint, ignore: ['*'] }] }";
    const { statuses, trialOf } = await run(lasting, lint, { "server.cjs": text });
    expect(statuses).toEqual({ lint: "failed", off: "passed", ignored: "passed" });
    const [found] = trialOf("lint")?.assertions ?? [];
    const actual = (found?.actual ?? []) as { tool: string; rule: string }[];
    expect(actual.map(({ tool, rule }) => `${tool} ${rule}`)).toEqual([
      "get_user missing_parameter_description",
      "get_user untyped_parameter",
      "get_user unknown_required",
      "user-get similar_name",
      "user-get similar_description",
      "list users long_description",
      "list users invalid_schema",
      "list users invalid_name",
      "bare missing_description",
      "bare duplicate_name",
      "bare invalid_schema",
      "bare duplicate_name",
    ]);
  });
});
