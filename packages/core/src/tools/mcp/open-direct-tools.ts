import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import { isList, isRecord, type JsonObject } from "../../values/json.js";
import { didYouMean } from "../../values/nearest-name.js";
import { toJsonValue } from "../../values/to-json.js";
import type { McpServerConfig, OpenTool } from "../tool-config.js";
import type { HandlerContext } from "../tool-handler.js";
import type { ListedTool, ToolLists } from "../tool-lists.js";
import { recordedName, type DirectCall } from "./direct-call.js";
import type { McpLink } from "./mcp-link.js";

/** What a trial asks of a server under test. `isUnlisted`: its tools may be such that the server does not list. */
export interface DirectUse {
  calls: readonly DirectCall[];
  isUnlisted: boolean;
}

/**
 * One tool for each name under which the calls are recorded. Each takes any arguments and hands them to the server as they
 * are. Fails with TARGET_ERROR where the server cannot be used or does not list a tool.
 */
export async function openDirectTools(
  server: McpServerConfig,
  { calls, isUnlisted }: DirectUse,
  link: McpLink,
  lists: ToolLists | null,
): Promise<Result<readonly OpenTool[]>> {
  const listed = await listDirectly(server.name, link, lists);
  if (!listed.success) return listed;
  const names = listed.data.map(({ name }) => name);
  const unknown = calls.find((call) => call.kind === "tool" && !names.includes(call.name));
  if (unknown !== undefined && !isUnlisted) return failure(notListed(server.name, recordedName(unknown), names));
  const tools = new Map<string, OpenTool>();
  for (const call of calls) {
    const name = recordedName(call);
    tools.set(name, directTool(name, call, server, link, listed.data));
  }
  return success([...tools.values()]);
}

function directTool(
  name: string,
  call: DirectCall,
  { timeoutMs }: McpServerConfig,
  link: McpLink,
  listed: readonly ListedTool[],
): OpenTool {
  const known = listed.find((tool) => tool.name === name);
  const isReading = call.kind !== "tool" || known?.attributes.readonly === true;
  return {
    kind: "open",
    name,
    parameters: {},
    attributes: { readonly: isReading, no_effect: isReading },
    recommendations: {},
    timeoutMs,
    createHandler: () => ({
      execute: (args, context: HandlerContext) => link.request(withArgs(call, args, known?.output), context),
    }),
  };
}

/** The call with the arguments of one trial: those of the config hold placeholders. */
function withArgs(call: DirectCall, args: unknown, output: JsonObject | undefined): DirectCall {
  const given = isRecord(args) ? args : {};
  switch (call.kind) {
    case "tool":
      return { ...call, args: given, ...(output === undefined ? {} : { output }) };
    case "resource":
      return { ...call, uri: String(given["uri"]) };
    case "prompt":
      return { ...call, args: isRecord(given["arguments"]) ? given["arguments"] : {} };
    case "list":
      return call;
  }
}

/** What the server lists, read leniently: whatever is wrong with a tool is for the test to find. */
async function listDirectly(
  server: string,
  link: McpLink,
  lists: ToolLists | null,
): Promise<Result<readonly ListedTool[]>> {
  const source = `mcp ${server}`;
  const recalled = lists === null ? success(null) : await lists.recall(source);
  if (!recalled.success) return recalled;
  if (recalled.data !== null) return success(recalled.data);
  const opened = await link.open();
  if (!opened.success) return failure(asTargetError(opened.error));
  const answered = await link.inTime((signal) =>
    opened.data.request({ kind: "list", list: "tools" }, { signal, emit: () => undefined }),
  );
  if (opened.data.isLost && !answered.ok) return failure(asTargetError(answered.failure));
  // A server without tools says that it does not know the method.
  const found = answered.ok && isRecord(answered.value) ? answered.value["tools"] : [];
  const tools = isList(found) ? found.flatMap(readTool) : [];
  lists?.keep(source, tools);
  return success(tools);
}

function readTool(entry: unknown): readonly ListedTool[] {
  if (!isRecord(entry) || typeof entry["name"] !== "string") return [];
  const { name, inputSchema, outputSchema, annotations } = entry;
  const isReadOnly = isRecord(annotations) && annotations["readOnlyHint"] === true;
  const output = asObject(outputSchema);
  return [
    {
      name,
      parameters: asObject(inputSchema) ?? {},
      ...(output === null ? {} : { output }),
      attributes: { readonly: isReadOnly, no_effect: isReadOnly },
    },
  ];
}

function asObject(value: unknown): JsonObject | null {
  const read = toJsonValue(value ?? null);
  return isRecord(read) ? read : null;
}

function notListed(server: string, tool: string, names: readonly string[]): KindlmError {
  const hint = didYouMean(tool, names) ?? `It has: ${names.join(", ") || "none"}`;
  return kindlmError("TARGET_ERROR", `The MCP server "${server}" has no tool "${tool}". ${hint}`, {
    details: { kind: "not_found" },
  });
}

/** The server is what is tested, so its end is not that of a fixture. */
function asTargetError({ message, cause }: { message: string; cause?: unknown }): KindlmError {
  return kindlmError("TARGET_ERROR", message, {
    details: { kind: "unexpected" },
    ...(cause === undefined ? {} : { cause }),
  });
}
