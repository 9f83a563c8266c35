import { attemptSync } from "../../errors/boundary.js";
import type { ToolRuntime } from "../../tools/tool-runtime.js";
import type { ToolErrorType } from "../../transcript/tool-failure.js";
import { describeJsonProblem, parseJson } from "../../values/parse-json.js";
import type { Recorder } from "../program/recorder.js";
import { errorReply, type GatewayReply, type GatewayRequest } from "./create-gateway-server.js";

/** So that a tool which asks over HTTP meets what it would meet of a server: `response.ok` is false. */
const statusByType: Readonly<Record<ToolErrorType, number>> = {
  validation: 400,
  logical: 422,
  runtime: 500,
  exception: 500,
  aborted: 504,
};

const prefix = "/tools";

/**
 * The tools of the test over HTTP. `GET /tools` lists them; `POST /tools/<name>` with the arguments as JSON runs one and
 * replies with what the model should receive. Null when the request is not about tools.
 */
export async function serveTools(
  request: GatewayRequest,
  tools: ToolRuntime,
  recorder: Recorder,
): Promise<GatewayReply | null> {
  const { method, path, signal } = request;
  if (path === prefix || path === `${prefix}/`) {
    if (method !== "GET") return errorReply(405, "method_not_allowed", "Ask for the list of tools with GET");
    return { status: 200, headers: json, body: JSON.stringify({ tools: tools.definitions }) };
  }
  if (!path.startsWith(`${prefix}/`)) return null;
  if (method !== "POST") return errorReply(405, "method_not_allowed", "Call a tool with POST");
  const parsed = parseJson(request.body.trim() === "" ? "{}" : request.body);
  if (!parsed.success) {
    return errorReply(400, "invalid_json", `The arguments are ${describeJsonProblem(parsed.error)}`);
  }
  const name = attemptSync<string, null>(
    () => decodeURIComponent(path.slice(prefix.length + 1)),
    () => null,
  );
  if (!name.success) return errorReply(404, "not_found", "The name of the tool is not well encoded");
  const { outcome, content } = await recorder.invoke(name.data, parsed.data, signal);
  if (!outcome.ok) return { status: statusByType[outcome.failure.errorType], headers: typed(content), body: content };
  return { status: 200, headers: typed(content), body: content };
}

const json = { "content-type": "application/json" };

/** A string is sent as text, everything else as JSON. */
function typed(content: string): Readonly<Record<string, string>> {
  return /^\s*[[{]/.test(content) ? json : { "content-type": "text/plain; charset=utf-8" };
}
