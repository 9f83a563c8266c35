import { compileSchema } from "../../json-schema/compile-schema.js";
import type { McpTool } from "./list-mcp-tools.js";

/** How the structured content of a result breaks the schema that its server lists; null if it does not. */
export function violationOf(content: unknown, schema: NonNullable<McpTool["output"]>): string | null {
  if (content === undefined) return "there is no structured content";
  const validator = compileSchema(schema);
  if (!validator.success) return null;
  const [violation] = validator.data.validate(content);
  return violation === undefined ? null : `${violation.path} ${violation.message}`.trim();
}
