import { describe, expect, it } from "vitest";
import type { ToolErrorType } from "../../packages/core/src/transcript/tool-failure.js";
import { openFailingTools, type FailingTools } from "../support/failing-tools.js";
import { afterFile } from "../../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { refusedUrl } from "../../packages/core/src/__fixtures__/start-server.js";
import { callerOf, callMs, openWritten } from "../support/tool-world.js";

/** What happens, how it is classed, what the model is told, and what else its failure says. */
type Row = readonly [
  cause: string,
  errorType: ToolErrorType,
  message: string | RegExp,
  more?: { retryable: boolean; recommendations?: readonly string[] },
];

const retryableByType = { validation: false, runtime: true, logical: true, aborted: false, exception: true };
const late = "The tool did not answer within 1 min";
const unusable = /^The schema of the tool "[^"]*bad_schema" cannot be used: .*\$ref "orders.json" does not resolve/;
const needy = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] };

const rows: Readonly<Record<string, readonly Row[]>> = {
  simulated: [
    ["says_no", "logical", "limit exceeded", { retryable: false }],
    ["unmatched", "logical", /^No simulated response/],
    ["breaks", "runtime", "upstream timed out"],
    ["fails_around", "exception", "the runner is out of memory"],
    ["hangs", "aborted", late],
  ],
  module: [
    ["throws", "runtime", "ENOENT: no such file"],
    ["rejects", "runtime", "a text"],
    ["says_no", "logical", "limit exceeded", { retryable: false, recommendations: ["Ask"] }],
    ["no_reason", "logical", "The tool failed"],
    ["no_json", "runtime", /cannot be written as JSON/],
    ["emits_no_json", "runtime", /BigInt/],
    ["bad_schema", "exception", unusable],
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
    ["garbage", "runtime", /not a message of the protocol/],
    ["shape", "runtime", /broke its own output schema/],
    ["hangs", "aborted", late],
    ["crash", "runtime", /exit code 3: out of memory$/],
    ["bad_schema", "exception", unusable],
  ],
};

const table = Object.entries(rows).flatMap(([source, causes]) =>
  causes.map(([cause, errorType, message, more]) => ({ source, cause, errorType, message, more })),
);

/** Calls after which an MCP server is as it was before, so that one is enough for all of them. */
const harmless = new Set(["says_no", "refuses", "breaks", "misshapen", "shape", "bad_schema"]);
let lasting: Promise<FailingTools> | null = null;
const openFor = (source: string, cause: string): Promise<FailingTools> =>
  source === "mcp" && harmless.has(cause)
    ? (lasting ??= openFailingTools(source, afterFile))
    : openFailingTools(source);

describe("what the model receives about a failed call", () => {
  it.each(table)("$source tool, $cause: $errorType", async ({ source, cause, errorType, message, more }) => {
    const { call, reached, advance } = await openFor(source, cause);
    const calling = call(cause);
    if (errorType === "aborted") {
      await reached();
      advance(callMs);
    }
    const { outcome, content } = await calling;
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
      failure: { errorType: "runtime", message: expect.stringContaining("program not found") },
    });
    expect((await call("service")).outcome).toMatchObject({
      failure: { errorType: "runtime", message: expect.stringContaining("ECONNREFUSED") },
    });
  });

  it.each(Object.keys(rows))("%s tool: an interruption is aborted", async (source) => {
    const { call, reached } = await openFailingTools(source);
    const controller = new AbortController();
    const calling = call("hangs", controller.signal);
    await reached();
    controller.abort();
    expect((await calling).outcome).toMatchObject({ failure: { errorType: "aborted", retryable: false } });
  });

  it("a condition of a simulated tool that cannot be told is an exception, and the end of the trial", async () => {
    const responses = [{ when: { id: { $regex: "^(a+)+$" } }, return: "found" }];
    const call = callerOf(await openWritten([{ name: "find", responses }]));
    expect(await call("find", { id: `${"a".repeat(40)}!` })).toMatchObject({
      outcome: {
        failure: { errorType: "exception", message: expect.stringContaining("cannot be matched"), retryable: true },
      },
      isFixtureBroken: true,
    });
  });
});

async function needyModule() {
  const cwd = makeProject({ "tool.cjs": "exports.tool = () => 1;" });
  return openWritten([{ name: "tool", parameters: needy, module: `${cwd}/tool.cjs#tool` }]);
}
