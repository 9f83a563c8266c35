import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolResultSchema,
  GetPromptResultSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ReadResourceResultSchema,
  ResourceListChangedNotificationSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
  type ClientRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { attemptSync } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { isList, isRecord } from "../../values/json.js";
import { renderPath } from "../../values/preview.js";
import { toJsonValue } from "../../values/to-json.js";
import type { HandlerContext, HandlerOutcome } from "../tool-handler.js";
import { listKeys, listMethods, type DirectCall, type McpList } from "./direct-call.js";
import { renderContent } from "./render-content.js";
import { violationOf } from "./violation-of.js";
import { createHash } from "node:crypto";

type Emit = HandlerContext["emit"];
/** `progressToken`: what the server names in notifications of progress. */
type DirectOptions = Required<Pick<RequestOptions, "signal" | "timeout" | "maxTotalTimeout">> & {
  progressToken: number;
  emit: Emit;
};

/** A server that never comes to the end of its list is broken. */
const maxPages = 1_000;

/**
 * Sends a request and gives the whole result, with a digest in place of bytes. An `isError` result is a `logical`
 * failure, and an answer that breaks the protocol or the server's own schema is a `runtime` one; both leave an event
 * `error`. Rejects as the SDK does.
 */
export async function requestDirectly(
  client: Client,
  call: DirectCall,
  { emit, progressToken, ...options }: DirectOptions,
): Promise<HandlerOutcome> {
  if (call.kind === "list") return listDirectly(client, call.list, options, emit);
  const answer = await client.request(requestOf(call, { progressToken }), ResultSchema, options);
  const malformed = problemOf(call.kind, answer);
  if (malformed !== null) return broke(emit, "protocol", `The answer breaks the protocol: ${malformed}`);
  const value = toJsonValue(withoutBytes(answer));
  if (call.kind !== "tool") return { ok: true, value, isWhole: true };
  if (answer["isError"] === true) {
    emit("error", { kind: "result", result: value });
    const { content } = CallToolResultSchema.parse(answer);
    return failed("logical", renderContent(content) || "The tool failed");
  }
  const { output } = call;
  const checked = attemptSync(
    () => (output === undefined ? null : violationOf(answer["structuredContent"], output)),
    messageOf,
  );
  const violation = checked.success ? checked.data : `it cannot be used: ${checked.error}`;
  if (violation !== null)
    return broke(emit, "output_schema", `The result breaks the tool's output schema: ${violation}`);
  return { ok: true, value, isWhole: true };
}

/** Makes messages of the log and changes of lists events, until the returned function is called. */
export function listenTo(client: Client, emit: Emit): () => void {
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params: { level, logger, data } }) =>
    emit("log", { level, ...(logger === undefined ? {} : { logger }), data }),
  );
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => emit("list_changed", { list: "tools" }));
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => emit("list_changed", { list: "prompts" }));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () =>
    emit("list_changed", { list: "resources" }),
  );
  return () => {
    client.removeNotificationHandler("notifications/message");
    client.removeNotificationHandler("notifications/tools/list_changed");
    client.removeNotificationHandler("notifications/prompts/list_changed");
    client.removeNotificationHandler("notifications/resources/list_changed");
  };
}

/** All pages of a list, each entry as the server wrote it. */
async function listDirectly(
  client: Client,
  list: McpList,
  options: Omit<DirectOptions, "progressToken" | "emit">,
  emit: Emit,
): Promise<HandlerOutcome> {
  const entries: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= maxPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: listMethods[list], params }, ResultSchema, options);
    const found = answer[listKeys[list]];
    if (!isList(found)) return broke(emit, "protocol", `The answer breaks the protocol: it has no ${listKeys[list]}`);
    entries.push(...found);
    const next = answer["nextCursor"];
    if (typeof next !== "string") return { ok: true, value: { [listKeys[list]]: toJsonValue(entries) }, isWhole: true };
    cursor = next;
  }
  return broke(emit, "protocol", `The list of ${list} has no end after ${maxPages} pages`);
}

function requestOf(call: Exclude<DirectCall, { kind: "list" }>, _meta: { progressToken: number }): ClientRequest {
  switch (call.kind) {
    case "tool":
      return { method: "tools/call", params: { name: call.name, arguments: call.args, _meta } };
    case "resource":
      return { method: "resources/read", params: { uri: call.uri, _meta } };
    case "prompt":
      return { method: "prompts/get", params: { name: call.name, arguments: textsOf(call.args), _meta } };
  }
}

/** The protocol knows arguments of prompts that are text alone. */
function textsOf(args: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}

const resultSchemas = {
  tool: CallToolResultSchema,
  resource: ReadResourceResultSchema,
  prompt: GetPromptResultSchema,
};

/** What the protocol does not allow in the answer; null if it is allowed. */
function problemOf(kind: keyof typeof resultSchemas, answer: unknown): string | null {
  const parsed = resultSchemas[kind].safeParse(answer);
  if (parsed.success) return null;
  const [issue] = parsed.error.issues;
  const steps = (issue?.path ?? []).map((step) => (typeof step === "symbol" ? String(step) : step));
  return issue === undefined ? "it is not a result" : `${renderPath(steps)} ${issue.message}`.trim();
}

function broke(emit: Emit, kind: "protocol" | "output_schema", message: string): HandlerOutcome {
  emit("error", { kind });
  return failed("runtime", message);
}

function failed(errorType: "logical" | "runtime", message: string): HandlerOutcome {
  return { ok: false, failure: { errorType, message } };
}

/** The keys under which results of the protocol hold content, and so perhaps bytes. */
const holders: ReadonlySet<string> = new Set(["content", "contents", "messages", "resource"]);

/** A result with the length and the SHA-256 digest in place of the bytes of images, sounds and files. */
function withoutBytes(value: unknown): unknown {
  if (isList(value)) return value.map(withoutBytes);
  if (!isRecord(value)) return value;
  const { data, blob, ...rest } = value;
  const isMedia = value["type"] === "image" || value["type"] === "audio";
  if (isMedia && typeof data === "string") return { ...rest, ...digestOf(data) };
  if (typeof blob === "string" && typeof value["uri"] === "string") return { ...rest, ...digestOf(blob) };
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, holders.has(key) ? withoutBytes(member) : member]),
  );
}

function digestOf(base64: string): { bytes: number; sha256: string } {
  const bytes = Buffer.from(base64, "base64");
  return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}
