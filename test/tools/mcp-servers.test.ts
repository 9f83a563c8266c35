import { once } from "node:events";
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createManualClock } from "../../packages/core/src/__fixtures__/manual-clock.js";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { mcpFakeServer } from "../support/mcp-fake-server.js";
import { commandOf, startEverything } from "../support/start-everything.js";
import { startWatch } from "../support/start-watch.js";
import { callerOf, mcpWorld } from "../support/tool-world.js";

/** The server that fails in all ways, in a folder of its own, and the ids of its processes so far. */
function fake(more: object = {}, preamble = "") {
  const cwd = makeProject({ "server.cjs": preamble + mcpFakeServer });
  const pids = (): number[] => readFileSync(join(cwd, "starts"), "utf8").trim().split("\n").map(Number);
  return { written: { name: "fake", command: [process.execPath, "server.cjs"], cwd, ...more }, pids };
}

/** A server that gives these answers by method, and shakes hands by itself. */
function answering(answers: object): string {
  return `
const capable = { capabilities: { tools: {} }, serverInfo: { name: "answering", version: "1" } };
const answers = ${JSON.stringify(answers)};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const shaken = { result: { protocolVersion: params?.protocolVersion, ...capable } };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(answers[method] ?? shaken) }));
});
`;
}

describe("server-everything", () => {
  it("over streamable HTTP is listed, called and answers with text, images and structured content; when it is gone, that is a tool error", async () => {
    const { child, url } = await startEverything();
    const { open, read } = mcpWorld();
    const include = ["echo", "get-*", "trigger-long-running-operation"];
    const written = { name: "web", url, headers: { "x-team": "a" }, include, exclude: ["get-env"] };
    const { tools } = await open(read(written));
    const names = tools.map(({ name }) => name);
    expect(names).toContain("get-tiny-image");
    expect(names.filter((name) => !/^(echo|get-.*|trigger-.*)$/.test(name) || name === "get-env")).toEqual([]);
    expect(tools.find(({ name }) => name === "echo")).toMatchObject({
      description: "Echoes back the input string",
      parameters: { required: ["message"] },
      attributes: { readonly: true, no_effect: true },
    });
    const call = callerOf(tools);
    expect((await call("echo", { message: "hi" })).outcome).toEqual({ ok: true, value: "Echo: hi" });
    const image = await call("get-tiny-image");
    expect(image.content).toMatch(/\[image image\/png, \d+ characters of base64\]/);
    const weather = await call("get-structured-content", { location: "New York" });
    expect(weather.outcome).toMatchObject({ ok: true, value: { conditions: "Cloudy" } });
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    expect((await call("get-sum", { a: 1, b: 2 })).outcome).toMatchObject({ failure: { errorType: "runtime" } });
  });
});

describe("server-filesystem", () => {
  it("reads, and says what it may not", async () => {
    const folder = realpathSync(makeProject({ "note.txt": "buy milk" }));
    const { open, read } = mcpWorld();
    const written = { name: "files", command: [...commandOf("server-filesystem"), folder] };
    const call = callerOf((await open(read({ ...written, include: ["read_text_file"] }))).tools);
    const found = await call("read_text_file", { path: join(folder, "note.txt") });
    expect(found.content).toContain("buy milk");
    expect((await call("read_text_file", { path: "/etc/passwd" })).outcome).toMatchObject({
      failure: { errorType: "logical", message: expect.stringContaining("Access denied"), retryable: true },
    });
  });
});

describe("a schema that cannot be used is the fault of the fixture", () => {
  const endless = { type: "object", allOf: [{ $ref: "#" }] };
  const self = { type: "object", properties: { a: { $ref: "#/properties/a" } } };
  it("of arguments, by name or not, and of the result", async () => {
    const { open, read } = mcpWorld();
    const listed = [
      { name: "endless", inputSchema: endless },
      { name: "self", inputSchema: self },
      { name: "returns", inputSchema: { type: "object" }, outputSchema: endless },
    ];
    const result = { content: [], structuredContent: { a: 1 } };
    const answers = { "tools/list": { result: { tools: listed } }, "tools/call": { result } };
    const cwd = makeProject({ "server.cjs": answering(answers) });
    const { tools } = await open(read({ name: "recursive", command: [process.execPath, "server.cjs"], cwd }));
    const call = callerOf(tools);
    for (const { name } of listed) {
      expect(await call(name, { a: 1 }), name).toMatchObject({ isFixtureBroken: true, outcome: { ok: false } });
    }
  });
});

describe("the life of a server", () => {
  it("does not hold the trial when it takes too long, and answers the next call", async () => {
    const clock = createManualClock();
    const { open, read } = mcpWorld();
    const call = callerOf((await open(read(fake({ timeout: "300ms" }).written))).tools, clock);
    const calling = call("hang");
    // Its input is read in order: with this answer the server has the call before it, too.
    expect((await call("fine")).outcome.ok).toBe(true);
    clock.advance(300);
    expect((await calling).outcome).toMatchObject({
      failure: { errorType: "aborted", message: "The tool did not answer within 300 ms", retryable: false },
    });
    expect((await call("fine")).outcome.ok).toBe(true);
  });

  it("lists all pages, and leaves out tools that answer with tasks", async () => {
    const { open, read } = mcpWorld();
    const { tools } = await open(read(fake().written));
    expect(tools.map(({ name }) => name)).toEqual(
      "fine says_no crash hang garbage refuses breaks misshapen shape bad_schema".split(" "),
    );
  });

  it("per trial, starts one for each trial, and none again after a crash", async () => {
    const { open, read } = mcpWorld();
    const { written, pids } = fake();
    const config = read(written);
    const first = await open(config);
    const call = callerOf(first.tools);
    expect((await call("crash")).outcome).toMatchObject({
      failure: { message: expect.stringContaining("ended with exit code 3: out of memory") },
    });
    expect((await call("fine")).outcome).toMatchObject({
      failure: {
        errorType: "runtime",
        message: 'The MCP server "fake" is gone and is not started again in this trial',
      },
    });
    first.release();
    const second = await open(config);
    expect((await callerOf(second.tools)("fine", { a: 1 })).outcome).toEqual({ ok: true, value: 'fine {"a":1}' });
    expect(new Set(pids()).size).toBe(2);
  });

  it("per run, shares one between trials, starts it again once after a crash, and then no more", async () => {
    const { open, read } = mcpWorld();
    const { written, pids } = fake({ per: "run" });
    const config = read(written);
    const [one, two] = await Promise.all([open(config), open(config)]);
    one.release();
    const call = callerOf(two.tools);
    expect((await call("fine")).outcome.ok).toBe(true);
    expect(pids()).toHaveLength(1);
    await call("crash");
    expect((await call("fine")).outcome.ok).toBe(true);
    await call("crash");
    expect((await call("fine")).outcome).toMatchObject({
      failure: { message: 'The MCP server "fake" is gone and was started 2 times and is not again' },
    });
    expect(pids()).toHaveLength(2);
  });

  it("is killed in the middle of a call without more than a tool error", async () => {
    const watch = await startWatch();
    const { open, read } = mcpWorld();
    const { written, pids } = fake({}, watch.preamble);
    const call = callerOf((await open(read(written))).tools);
    const calling = call("hang");
    await watch.hears("hang");
    process.kill(pids()[0] ?? 0, "SIGKILL");
    expect((await calling).outcome).toMatchObject({
      failure: { errorType: "runtime", message: expect.stringContaining("was ended by SIGKILL") },
    });
  });

  it("leaves no process behind, also of one that hangs and ignores SIGTERM", async () => {
    const watch = await startWatch();
    const clock = createManualClock();
    const { servers, open, read } = mcpWorld({ clock });
    const { written, pids } = fake({}, `${watch.preamble}process.on("SIGTERM", () => say("asked to end")); stay();`);
    const { tools } = await open(read(written));
    expect((await callerOf(tools)("fine")).outcome.ok).toBe(true);
    const closing = servers.close();
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(300);
    await watch.hears("asked to end");
    clock.advance(500);
    await closing;
    const [pid = 0] = pids();
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});

describe("a server that cannot be used", () => {
  it.each([
    [{ command: ["no-such-program"] }, "Could not start no-such-program: program not found"],
    [{ command: [process.execPath, "-e", "console.error('no license'); process.exit(1)"] }, "exit code 1: no license"],
    [{ url: "http://127.0.0.1:9/mcp" }, "fetch failed: "],
  ])("stops the trial before it begins: %o", async (connection, message) => {
    const { servers, read } = mcpWorld();
    const opened = await servers.open([read({ name: "x", ...connection })]);
    expect(opened).toMatchObject({
      success: false,
      error: { code: "ENGINE_FIXTURE_ERROR", message: expect.stringContaining(message) },
    });
  });

  it.each([
    ["an error at the handshake", { initialize: { error: { code: -32000, message: "no license" } } }, "no license"],
    ["an error instead of a list", { "tools/list": { error: { code: -32603, message: "disk full" } } }, "disk full"],
    ["a list without end", { "tools/list": { result: { tools: [], nextCursor: "x" } } }, "has no end after 1000 pages"],
  ])("says what the server said, not how it ended when it was stopped: %s", async (_, answers, message) => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on("warning", warned);
    onTestFinished(() => void process.off("warning", warned));
    const cwd = makeProject({ "server.cjs": answering(answers) });
    const { servers, read } = mcpWorld();
    expect(await servers.open([read({ name: "x", command: [process.execPath, "server.cjs"], cwd })])).toMatchObject({
      error: { code: "ENGINE_FIXTURE_ERROR", message: expect.stringContaining(message) },
    });
    expect(warnings).toEqual([]);
  });

  it("names a tool that it does not have, with the nearest one", async () => {
    const { servers, read } = mcpWorld();
    expect(await servers.open([read({ ...fake().written, include: ["fin"] })])).toMatchObject({
      error: { message: 'The MCP server "fake" has no tool "fin". Did you mean "fine"?' },
    });
  });
});
