import { EventEmitter, once } from "node:events";
import { existsSync } from "node:fs";
import { onTestFinished } from "vitest";
import { createManualClock } from "../../packages/core/src/__fixtures__/manual-clock.js";
import type { ToolInvocation } from "../../packages/core/src/tools/tool-runtime.js";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { mcpFakeServer } from "./mcp-fake-server.js";
import { sendJson, startServer } from "../../packages/core/src/__fixtures__/start-server.js";
import { startWatch } from "./start-watch.js";
import { callerOf, mcpWorld, openWritten } from "./tool-world.js";
import { until } from "./until.js";

const parameters = { type: "object", properties: { order_id: { type: "string" }, how: { type: "string" } } };

const module = `
exports.tool = (args, ctx) => {
  if (args.how === "throws") throw Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT" });
  if (args.how === "rejects") return Promise.reject("a text");
  if (args.how === "says_no") return { ok: false, error: "limit exceeded", retryable: false, recommendations: ["Ask"] };
  if (args.how === "no_reason") return { ok: false };
  if (args.how === "no_json") { const value = {}; value.self = value; return value; }
  if (args.how === "emits_no_json") return ctx.emit("big", 1n);
  if (args.how === "hangs") { say("hangs"); return new Promise(() => {}); }
  return args;
};
const input_schema = { type: "object", properties: { order: { $ref: "orders.json" } } };
exports.bad_schema = { name: "bad_schema", input_schema, attributes: {}, exec: () => "reached" };
`;

const program = `
case $(cat) in
  *'"exits"'*) echo "no such order" >&2; exit 4 ;;
  *'"says_no"'*) echo '{"ok":false,"error":"limit exceeded"}' ;;
  *'"says_no_and_exits"'*) echo '{"ok":false,"error":"limit exceeded"}'; exit 1 ;;
  *'"crashes"'*) kill -SEGV $$ ;;
  *'"hangs"'*) touch hangs; exec sleep 1000 ;;
esac
`;

/** Tools of one source that fail in many ways, and the time in which they are called. */
export interface FailingTools {
  /** Makes a call that fails in this way. */
  call(how: string, signal?: AbortSignal): Promise<ToolInvocation>;
  /** Resolves when the call that `hangs` has reached its tool. */
  reached(): Promise<unknown>;
  /** Moves the time of the calls on. */
  advance(ms: number): void;
}

/**
 * Opens the tools of a source: `simulated`, `module`, `command`, `http`, or else the fake MCP server.
 *
 * @param whenFinished - registers what ends the MCP server. Default: it ends with the test.
 */
export async function openFailingTools(
  source: string,
  whenFinished: (end: () => void | Promise<void>) => void = onTestFinished,
): Promise<FailingTools> {
  const watch = await startWatch(whenFinished);
  const cwd = makeProject({
    "tool.cjs": watch.preamble + module,
    "program.sh": program,
    "server.cjs": watch.preamble + mcpFakeServer,
  });
  const common = { name: "tool", parameters };
  const clock = createManualClock();
  const { advance } = clock;
  const toolsOf = async (reached: FailingTools["reached"], ...entries: readonly object[]): Promise<FailingTools> => {
    const tools = await openWritten(entries);
    const callTool = callerOf(tools, clock);
    const nameOf = (how: string): string => (tools.some(({ name }) => name === how) ? how : "tool");
    return { call: (how, signal) => callTool(nameOf(how), { how }, signal), reached, advance };
  };
  switch (source) {
    case "simulated": {
      const responses = [
        { when: { how: "says_no" }, error: { type: "logical", message: "limit exceeded", retryable: false } },
        { when: { how: "breaks" }, error: { message: "upstream timed out" } },
        { when: { how: "fails_around" }, error: { type: "exception", message: "the runner is out of memory" } },
        { when: { how: "hangs" }, delay: "1h", return: 1 },
      ];
      return toolsOf(() => Promise.resolve(), { ...common, responses });
    }
    case "module": {
      const file = `${cwd}/tool.cjs`;
      return toolsOf(
        () => watch.hears("hangs"),
        { ...common, module: `${file}#tool` },
        { module: `${file}#bad_schema` },
      );
    }
    case "command":
      return toolsOf(() => until(() => existsSync(`${cwd}/hangs`)), { ...common, command: ["sh", "program.sh"], cwd });
    case "http": {
      const arrivals = new EventEmitter();
      const arrived = once(arrivals, "hangs");
      const server = await startServer(({ json }, response) => {
        const { how } = json as { how: string };
        if (how === "cut") response.socket?.destroy();
        else if (how === "says_no") sendJson(response, 200, { ok: false, error: "limit exceeded" });
        else if (how === "says_no_409") sendJson(response, 409, { ok: false, error: "limit exceeded" });
        else if (how === "hangs") arrivals.emit("hangs");
        else sendJson(response, Number(how), { detail: "bad" });
      });
      onTestFinished(() => server.close());
      return toolsOf(() => arrived, { ...common, url: `${server.url}/tool` });
    }
    default: {
      const { open: openServers, read } = mcpWorld({ whenFinished });
      const written = { name: "fake", command: [process.execPath, "server.cjs"], cwd };
      const { tools } = await openServers(read(written));
      const callTool = callerOf(tools, clock);
      const nameOf = (how: string): string => (how === "hangs" ? "hang" : how);
      return { call: (how, signal) => callTool(nameOf(how), {}, signal), reached: () => watch.hears("hang"), advance };
    }
  }
}
