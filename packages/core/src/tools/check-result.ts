import { compileSchema } from "../json-schema/compile-schema.js";
import { brokenFixture } from "./render-answer.js";
import { readReturned } from "./read-returned.js";
import type { RunnableTool } from "./tool-config.js";
import type { HandlerOutcome, ToolHandler } from "./tool-handler.js";

/** A handler whose results keep to the `result_schema` of the tool. */
export function withResultSchema(tool: RunnableTool, handler: ToolHandler): ToolHandler {
  if (tool.resultSchema === undefined) return handler;
  const isWritten = tool.kind === "simulated";
  return {
    ...handler,
    execute: async (args, context) => checkResult(tool, await handler.execute(args, context), isWritten),
  };
}

/**
 * The outcome, unless its value breaks the schema: then an answer that is written in the config is a broken fixture, and
 * any other one a `runtime` error of the tool. Failures have no schema.
 */
export function checkResult(
  { name, resultSchema }: Pick<RunnableTool, "name" | "resultSchema">,
  outcome: HandlerOutcome,
  isWritten: boolean,
): HandlerOutcome {
  const read = readReturned(outcome);
  if (resultSchema === undefined || !read.ok) return outcome;
  const compiled = compileSchema(resultSchema);
  if (!compiled.success) return brokenFixture(`The result_schema of the tool "${name}": ${compiled.error.message}`);
  const [violation] = compiled.data.validate(read.value ?? null);
  if (violation === undefined) return outcome;
  const problem = `breaks its result_schema: ${violation.path === "" ? "it" : violation.path} ${violation.message}`;
  if (isWritten) return brokenFixture(`An answer of the tool "${name}" in the config ${problem}`);
  return { ok: false, failure: { errorType: "runtime", message: `What the tool returned ${problem}` } };
}
