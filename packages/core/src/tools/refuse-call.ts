import { compileSchema } from "../json-schema/compile-schema.js";
import type { RequestedToolCall } from "../transcript/message.js";
import { didYouMean } from "../values/nearest-name.js";
import type { RunnableTool } from "./tool-config.js";
import type { HandlerFailure } from "./tool-handler.js";

/** Why a call never reaches its tool; null when it does. */
export function refuseCall(call: RequestedToolCall, tools: ReadonlyMap<string, RunnableTool>): HandlerFailure | null {
  const tool = tools.get(call.tool);
  if (tool === undefined) {
    const names = [...tools.keys()];
    const advice = didYouMean(call.tool, names) ?? (names.length > 0 ? `Tools: ${names.join(", ")}` : "");
    return { errorType: "validation", message: `There is no tool "${call.tool}". ${advice}`.trim() };
  }
  if (call.malformed !== undefined) {
    return { errorType: "validation", message: `The arguments are not valid JSON: ${call.malformed.reason}` };
  }
  const validator = compileSchema(tool.parameters);
  if (!validator.success) {
    const { errorType, message } = exception(validator.error.message).failure;
    return { errorType, message };
  }
  const violations = validator.data.validate(call.args ?? {});
  if (violations.length === 0) return null;
  const listed = violations.map(({ path, message }) => (path === "" ? message : `${path} ${message}`));
  return { errorType: "validation", message: `Invalid parameters: ${listed.join("; ")}` };
}

/** What goes wrong in KindLM around a tool. */
export function exception(message: string): { ok: false; failure: HandlerFailure } {
  return { ok: false, failure: { errorType: "exception", message: `The tool could not be run: ${message}` } };
}
