import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { attemptSync } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { compileSchema } from "../../json-schema/compile-schema.js";
import { toJsonValue } from "../../values/to-json.js";
import { brokenFixture } from "../render-answer.js";
import type { HandlerOutcome } from "../tool-handler.js";
import type { McpTool } from "./list-mcp-tools.js";

/**
 * The result of a call: the structured content where there is one, else the text. `isError` is a `logical` failure;
 * content that breaks the schema which the server itself listed is a `runtime` one.
 */
export function readMcpResult(result: CallToolResult, tool: McpTool | undefined, server: string): HandlerOutcome {
  const text = result.content.map(renderPart).join("\n");
  if (result.isError === true) {
    return { ok: false, failure: { errorType: "logical", message: text === "" ? "The tool failed" : text } };
  }
  const problem = attemptSync(
    () => (tool?.output === undefined ? null : violationOf(result.structuredContent, tool.output)),
    messageOf,
  );
  if (!problem.success) {
    return brokenFixture(`The MCP server "${server}" has an output schema that cannot be used: ${problem.error}`);
  }
  if (problem.data !== null) {
    const message = `The MCP server "${server}" broke its own output schema: ${problem.data}`;
    return { ok: false, failure: { errorType: "runtime", message } };
  }
  return { ok: true, value: result.structuredContent === undefined ? text : toJsonValue(result.structuredContent) };
}

function violationOf(content: unknown, schema: NonNullable<McpTool["output"]>): string | null {
  if (content === undefined) return "there is no structured content";
  const validator = compileSchema(schema);
  if (!validator.success) return null;
  const [violation] = validator.data.validate(content);
  return violation === undefined ? null : `${violation.path} ${violation.message}`.trim();
}

/** Content as text. Images and sounds are named, not shown: few models take them as the result of a tool. */
function renderPart(part: CallToolResult["content"][number]): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return `[${part.type} ${part.mimeType}, ${part.data.length} characters of base64]`;
    case "resource_link":
      return `[resource ${part.uri}]`;
    case "resource":
      return "text" in part.resource ? part.resource.text : `[resource ${part.resource.uri}]`;
  }
}
