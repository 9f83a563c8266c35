import { attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { compileSchema } from "../json-schema/compile-schema.js";
import type { RequestedToolCall } from "../transcript/message.js";
import { describeJsonProblem } from "../values/parse-json.js";
import { didYouMean } from "../values/nearest-name.js";
import type { RunnableTool } from "./tool-config.js";
import { brokenFixture } from "./render-answer.js";
import type { HandlerFailure, HandlerOutcome } from "./tool-handler.js";

/** Why a call never reaches its tool; null when it does. */
export function refuseCall(call: RequestedToolCall, tools: ReadonlyMap<string, RunnableTool>): HandlerOutcome | null {
  const tool = tools.get(call.tool);
  if (tool === undefined) {
    const names = [...tools.keys()];
    const advice = didYouMean(call.tool, names) ?? (names.length > 0 ? `Tools: ${names.join(", ")}` : "");
    return invalid(`There is no tool "${call.tool}". ${advice}`.trim());
  }
  if (call.malformed !== undefined) {
    return invalid(`The arguments are ${describeJsonProblem(call.malformed.reason)}`);
  }
  const validator = compileSchema(tool.parameters);
  if (!validator.success) {
    return brokenFixture(`The schema of the tool "${call.tool}" cannot be used: ${validator.error.message}`);
  }
  const violations = attemptSync(() => validator.data.validate(call.args ?? {}), messageOf);
  if (!violations.success) {
    return brokenFixture(`The arguments of "${call.tool}" cannot be checked by its schema: ${violations.error}`);
  }
  if (violations.data.length === 0) return null;
  const listed = violations.data.map(({ path, message }) => (path === "" ? message : `${path} ${message}`));
  return invalid(`Invalid parameters: ${listed.join("; ")}`);
}

function invalid(message: string): HandlerOutcome {
  return { ok: false, failure: { errorType: "validation", message } };
}

/** What goes wrong in KindLM around a tool. */
export function exception(message: string): { ok: false; failure: HandlerFailure } {
  return { ok: false, failure: { errorType: "exception", message: `The tool could not be run: ${message}` } };
}
