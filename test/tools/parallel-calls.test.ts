import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createManualClock } from "../../packages/core/src/__fixtures__/manual-clock.js";
import { ToolRunner } from "../../packages/core/src/tools/tool-runner.js";
import type { RunnableTool } from "../../packages/core/src/tools/tool-config.js";
import { toolSchema } from "../../packages/core/src/tools/tool-schema.js";
import { runToolCalls } from "../../packages/core/src/targets/model/model-session.js";
import { createSystemClock, type Clock } from "../../packages/core/src/values/clock.js";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { startServer } from "../../packages/core/src/__fixtures__/start-server.js";
import { mcpWorld, openWritten } from "../support/tool-world.js";

/**
 * What a tool of any kind does with `{ me, other }`: it writes down that it was called, and looks whether the other call
 * was. One that is told to `wait` answers only when the other was called too: it would wait for ever if the calls were
 * not made side by side. One that is told to `hold` answers when the test lets it.
 */
const meet = `
const { appendFileSync, existsSync, readFileSync } = require("node:fs");
const meet = async (folder, { me, other, wait, hold }) => {
  const file = folder + "/log";
  const saw = () => readFileSync(file, "utf8").includes(other);
  appendFileSync(file, "+" + me);
  while ((wait && !saw()) || (hold && !existsSync(folder + "/released"))) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const sees = saw();
  appendFileSync(file, "-" + me);
  return { sees };
};
`;

const moduleFile = (isFree: boolean): string => `
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
const require = createRequire(import.meta.url);
${meet}
export const tool = {
  name: "meet", input_schema: { type: "object" }, attributes: { readonly: ${isFree}, noEffect: ${isFree} },
  exec: (args) => meet(fileURLToPath(new URL(".", import.meta.url)), args),
};`;

const program = `${meet}
const args = JSON.parse(readFileSync(0, "utf8"));
meet(process.cwd(), args).then((result) => console.log(JSON.stringify(result)));`;

const mcpServer = (isFree: boolean): string => `${meet}
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "meet", version: "1" } } });
  } else if (method === "tools/list") {
    send({ id, result: { tools: [{ name: "meet", inputSchema: { type: "object" }, annotations: { readOnlyHint: ${isFree} } }] } });
  } else if (method === "tools/call") {
    meet(process.cwd(), params.arguments).then((result) =>
      send({ id, result: { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result } }));
  }
});`;

interface Source {
  name: string;
  open(folder: string, isFree: boolean): Promise<readonly RunnableTool[]>;
}

const attributesOf = (isFree: boolean) => ({ attributes: { no_effect: isFree } });

const sources: readonly Source[] = [
  { name: "a module", open: (folder) => openWritten([{ module: join(folder, "tool.mjs#tool") }]) },
  {
    name: "a module, by what the config says",
    open: (folder, isFree) =>
      openWritten([{ module: join(folder, "against.mjs#tool"), name: "meet", ...attributesOf(isFree) }]),
  },
  {
    name: "a command",
    open: (folder, isFree) =>
      openWritten(
        [{ name: "meet", command: ["node", join(folder, "tool.cjs")], cwd: folder, ...attributesOf(isFree) }],
        {
          PATH: process.env["PATH"] ?? "",
        },
      ),
  },
  {
    name: "an HTTP service",
    async open(folder, isFree) {
      const server = await startServer(async ({ body }, response) => {
        const { default: run } = (await import(join(folder, "meet.cjs"))) as { default: Meet };
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(await run(folder, JSON.parse(body) as object)));
      });
      onTestFinished(() => server.close());
      return openWritten([{ name: "meet", url: server.url, ...attributesOf(isFree) }]);
    },
  },
  {
    name: "an MCP server",
    async open(folder) {
      const world = mcpWorld();
      const config = world.read({ name: "m", command: ["node", join(folder, "server.cjs")], cwd: folder });
      return (await world.open(config)).tools;
    },
  },
];

type Meet = (folder: string, args: object) => Promise<object>;

const folderOf = (isFree: boolean): string =>
  makeProject({
    "tool.mjs": moduleFile(isFree),
    "against.mjs": moduleFile(!isFree),
    "server.cjs": mcpServer(isFree),
    "tool.cjs": program,
    "meet.cjs": `${meet}module.exports = meet;`,
    log: "",
  });

/** Runs the calls as those of one turn of a model. */
function runTurn(
  tools: readonly RunnableTool[],
  calls: readonly (object | string)[],
  clock: Clock = createSystemClock(),
) {
  const settings = { style: "envelope", recommendations: null, timeoutMs: 20_000, scope: {} } as const;
  const runtime = new ToolRunner({ ...settings, tools, clock });
  const seen: string[] = [];
  const listener = {
    toolStarted: ({ id }: { id: string }) => seen.push(`+${id}`),
    toolEnded: ({ call }: { call: { id: string } }) => seen.push(`-${call.id}`),
  };
  const requested = calls.map((call, index) => {
    const isName = typeof call === "string";
    return { id: String(index), tool: isName ? call : "meet", args: isName ? {} : call };
  });
  // Nothing else of a listener is called here.
  const finished = runToolCalls(requested, runtime, listener as never, new AbortController().signal);
  return { finished, seen };
}

const logOf = (folder: string): string => readFileSync(join(folder, "log"), "utf8");
const valuesOf = async (finished: ReturnType<typeof runTurn>["finished"]) =>
  (await finished).map(({ record }) => record.result ?? record.error);

describe.each(sources)("calls of one turn, to tools of $name", ({ open }) => {
  it("are made side by side where they have no effect", async () => {
    const folder = folderOf(true);
    const tools = await open(folder, true);
    const { finished } = runTurn(tools, [
      { me: "a", other: "+b", wait: true },
      { me: "b", other: "+a", wait: true },
    ]);
    expect(await valuesOf(finished)).toEqual([{ sees: true }, { sees: true }]);
    // Both had begun before one was done.
    expect(logOf(folder).slice(0, 4).split("").toSorted().join("")).toBe("++ab");
  });

  it("are made in order, one after the other, where they may have one", async () => {
    const folder = folderOf(false);
    const tools = await open(folder, false);
    const { finished, seen } = runTurn(tools, [
      { me: "a", other: "+b", hold: true },
      { me: "b", other: "-a" },
      { me: "c", other: "-b" },
    ]);
    await vi.waitFor(() => expect(logOf(folder)).toBe("+a"), { timeout: 20_000 });
    expect(seen).toEqual(["+0"]);
    writeFileSync(join(folder, "released"), "");
    expect(await valuesOf(finished)).toEqual([{ sees: false }, { sees: true }, { sees: true }]);
    expect(logOf(folder)).toBe("+a-a+b-b+c-c");
  });
});

describe("calls of one turn, to simulated tools", () => {
  const answers = {
    responses: [{ state: { called: true }, return: "after another" }],
    default: { delay: "1s", return: "first", set: { called: true } },
  };
  const slow = { default: { delay: "1s", return: "done" } };

  it("are made side by side where they have no effect", async () => {
    const clock = createManualClock();
    const tool = toolSchema.parse({ name: "meet", attributes: { no_effect: true }, ...slow });
    if (tool.kind !== "simulated") throw new Error(tool.kind);
    const { finished, seen } = runTurn([tool], [{}, {}], clock);
    // Both wait now; the one second that is let pass is the same for both.
    expect(seen).toEqual(["+0", "+1"]);
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1_000);
    expect(await valuesOf(finished)).toEqual(["done", "done"]);
    expect(clock.now()).toBe(1_000);
  });

  it("are made in order, one after the other, where they may have one", async () => {
    const tool = toolSchema.parse({ name: "meet", ...answers });
    if (tool.kind !== "simulated") throw new Error(tool.kind);
    const { finished, seen } = runTurn([tool], [{}, {}], createManualClock({ jump: true }));
    expect(await valuesOf(finished)).toEqual(["first", "after another"]);
    expect(seen).toEqual(["+0", "-0", "+1", "-1"]);
  });
});

describe("calls of one turn, some with effects and some without", () => {
  it("are made side by side only among neighbors without", async () => {
    const free = { attributes: { no_effect: true }, default: { return: 1 } };
    const tools = [
      { name: "free", ...free },
      { name: "meet", default: { return: 1 } },
    ].map((written) => {
      const tool = toolSchema.parse(written);
      if (tool.kind !== "simulated") throw new Error(tool.kind);
      return tool;
    });
    const { finished, seen } = runTurn(tools, ["free", "free", "meet", "free", "free"], createManualClock());
    await finished;
    expect(seen.join("")).toMatch(/^\+0\+1(-0-1|-1-0)\+2-2\+3\+4(-3-4|-4-3)$/);
  });
});
