import { onTestFinished, describe, expect, it } from "vitest";
import { retryableByType } from "../../packages/core/src/tools/envelope.js";
import type { ToolErrorType } from "../../packages/core/src/transcript/tool-failure.js";
import { makeProject } from "../support/make-project.js";
import { mcpFakeServer } from "../support/mcp-fake-server.js";
import { refusedUrl, startServer, sendJson } from "../support/start-server.js";
import { callerOf, mcpWorld, openWritten, type CallTool } from "../support/tool-world.js";

/** What happens, how it is classed, what the model is told, and what else its failure says. */
type Row = readonly [
  cause: string,
  errorType: ToolErrorType,
  message: string | RegExp,
  more?: { retryable: boolean; recommendations?: readonly string[] },
];

const parameters = { type: "object", properties: { order_id: { type: "string" }, how: { type: "string" } } };
const late = "The tool did not answer within 400 ms";
const needy = { ...parameters, required: ["order_id"] };

const module = `
exports.tool = (args, ctx) => {
  if (args.how === "throws") throw Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT" });
  if (args.how === "rejects") return Promise.reject("a text");
  if (args.how === "says_no") return { ok: false, error: "limit exceeded", retryable: false, recommendations: ["Ask"] };
  if (args.how === "no_reason") return { ok: false };
  if (args.how === "no_json") { const value = {}; value.self = value; return value; }
  if (args.how === "emits_no_json") return ctx.emit("big", 1n);
  if (args.how === "hangs") return new Promise(() => {});
  return args;
};
exports.text = "no tool";
`;

const program = `
const args = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const fail = (code) => { process.exitCode = code; };
if (args.how === "exits") { console.error("no such order"); fail(4); }
else if (args.how === "says_no") console.log(JSON.stringify({ ok: false, error: "limit exceeded" }));
else if (args.how === "says_no_and_exits") { console.log('{"ok":false,"error":"limit exceeded"}'); fail(1); }
else if (args.how === "crashes") process.kill(process.pid, "SIGSEGV");
else if (args.how === "hangs") setInterval(() => {}, 1000);
else console.log(JSON.stringify(args));
`;

const rows: Readonly<Record<string, readonly Row[]>> = {
  simulated: [
    ["says_no", "logical", "limit exceeded", { retryable: false }],
    ["unmatched", "logical", /^No simulated response/],
    ["breaks", "runtime", "upstream timed out"],
    ["hangs", "aborted", late],
  ],
  module: [
    ["throws", "runtime", "ENOENT: no such file"],
    ["rejects", "runtime", "a text"],
    ["says_no", "logical", "limit exceeded", { retryable: false, recommendations: ["Ask"] }],
    ["no_reason", "logical", "The tool failed"],
    ["no_json", "runtime", /can not be written as JSON/],
    ["emits_no_json", "runtime", /BigInt/],
    ["hangs", "aborted", late],
  ],
  command: [
    ["exits", "logical", /ended with exit code 4: no such order$/],
    ["says_no", "logical", "limit exceeded"],
    ["says_no_and_exits", "logical", "limit exceeded"],
    ["crashes", "runtime", /was ended by SIGSEGV/],
    ["hangs", "aborted", late],
  ],
  http: [
    ["400", "logical", 'The service answered with status 400: {"detail":"bad"}'],
    ["404", "logical", /status 404/],
    ["401", "runtime", /status 401/],
    ["403", "runtime", /status 403/],
    ["429", "runtime", /status 429/],
    ["500", "runtime", /status 500/],
    ["302", "runtime", /status 302/],
    ["says_no", "logical", "limit exceeded"],
    ["says_no_409", "logical", "limit exceeded"],
    ["cut", "runtime", /./],
    ["hangs", "aborted", late],
  ],
  mcp: [
    ["says_no", "logical", "no such order"],
    ["refuses", "validation", /order_id is missing/],
    ["breaks", "runtime", /disk full/],
    ["misshapen", "runtime", /did not answer the call/],
    ["garbage", "runtime", /no message of the protocol/],
    ["shape", "runtime", /broke its own output schema/],
    ["hang", "aborted", late],
    ["crash", "runtime", /exit code 3: out of memory$/],
  ],
};

async function open(source: string): Promise<CallTool> {
  const cwd = makeProject({ "tool.cjs": module, "program.cjs": program, "server.cjs": mcpFakeServer });
  const common = { name: "tool", parameters };
  switch (source) {
    case "simulated": {
      const responses = [
        { when: { how: "says_no" }, error: { type: "logical", message: "limit exceeded", retryable: false } },
        { when: { how: "breaks" }, error: { message: "upstream timed out" } },
        { when: { how: "hangs" }, delay: "1h", return: 1 },
      ];
      return callerOf(await openWritten([{ ...common, responses }]), 400);
    }
    case "module":
      return callerOf(await openWritten([{ ...common, module: `${cwd}/tool.cjs#tool` }]), 400);
    case "command":
      return callerOf(await openWritten([{ ...common, command: [process.execPath, `${cwd}/program.cjs`] }]), 400);
    case "http": {
      const server = await startServer(({ json }, response) => {
        const { how } = json as { how: string };
        if (how === "cut") response.socket?.destroy();
        else if (how === "says_no") sendJson(response, 200, { ok: false, error: "limit exceeded" });
        else if (how === "says_no_409") sendJson(response, 409, { ok: false, error: "limit exceeded" });
        else if (how !== "hangs") sendJson(response, Number(how), { detail: "bad" });
      });
      onTestFinished(() => server.close());
      return callerOf(await openWritten([{ ...common, url: `${server.url}/tool` }]), 400);
    }
    default: {
      const { open: openServers, read } = mcpWorld();
      const written = { name: "fake", command: [process.execPath, "server.cjs"], cwd };
      const { tools } = await openServers(read(written));
      const call = callerOf(tools, 400);
      return (_tool, args) => call((args as { how: string }).how, {});
    }
  }
}

const table = Object.entries(rows).flatMap(([source, causes]) =>
  causes.map(([cause, errorType, message, more]) => ({ source, cause, errorType, message, more })),
);

describe("what the model is told of a failed call", () => {
  it.each(table)("$source tool, $cause: $errorType", async ({ source, cause: how, errorType, message, more }) => {
    // Starting a program takes longer than the deadline of those that hang.
    const call = await open(source);
    const { outcome, content } = await call("tool", { how });
    const isSlowStart = source === "command" && errorType !== "aborted" && content.includes(late);
    if (isSlowStart) throw new Error("the program was too slow to start");
    expect(outcome).toMatchObject({
      ok: false,
      failure: { errorType, retryable: retryableByType[errorType], ...more },
    });
    expect(JSON.parse(content)).toMatchObject({
      ok: false,
      error: message instanceof RegExp ? expect.stringMatching(message) : message,
      errorType,
    });
  });

  it.each(["module", "command", "http"])("%s tool: arguments that are not valid do not reach it", async (source) => {
    const entry = {
      module: { module: "/x.cjs#y" },
      command: { command: ["no-such"] },
      http: { url: "http://127.0.0.1:9" },
    };
    const written = { name: "tool", parameters: needy, ...entry[source as keyof typeof entry] };
    const call = callerOf(source === "module" ? await needyModule() : await openWritten([written]));
    expect((await call("tool", { order_id: 5 })).outcome).toMatchObject({ failure: { errorType: "validation" } });
    expect((await call("tool", {})).outcome).toMatchObject({ failure: { errorType: "validation", retryable: false } });
    expect((await call("other")).outcome).toMatchObject({ failure: { errorType: "validation" } });
  });

  it("a program that is not there and a service that refuses are runtime errors", async () => {
    const url = await refusedUrl();
    const call = callerOf(
      await openWritten([
        { name: "program", command: ["no-such-program"] },
        { name: "service", url },
      ]),
    );
    expect((await call("program")).outcome).toMatchObject({
      failure: { errorType: "runtime", message: expect.stringContaining("there is no such program") },
    });
    expect((await call("service")).outcome).toMatchObject({
      failure: { errorType: "runtime", message: expect.stringContaining("ECONNREFUSED") },
    });
  });

  it.each(["module", "command", "http", "mcp"])("%s tool: an interruption is aborted", async (source) => {
    const call = await open(source);
    const controller = new AbortController();
    const calling = call("tool", { how: source === "mcp" ? "hang" : "hangs" }, controller.signal);
    controller.abort();
    expect((await calling).outcome).toMatchObject({ failure: { errorType: "aborted", retryable: false } });
  });
});

async function needyModule() {
  const cwd = makeProject({ "tool.cjs": module });
  return openWritten([{ name: "tool", parameters: needy, module: `${cwd}/tool.cjs#tool` }]);
}
