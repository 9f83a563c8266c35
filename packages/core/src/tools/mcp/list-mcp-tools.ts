import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import { isRecord, type JsonObject } from "../../values/json.js";
import { toJsonValue } from "../../values/to-json.js";
import { withAnySignal } from "./with-any-signal.js";
import type { ListedTool } from "../tool-lists.js";

/** A tool as its server lists it; `output` is the JSON Schema of `structuredContent`, which must then be there. */
export type McpTool = ListedTool;

/** A server that never comes to the end of its list is broken. */
const maxPages = 1_000;

/** All tools of a server, page by page. Rejects as the SDK does; fails with ENGINE_FIXTURE_ERROR where they have no end. */
export async function listMcpTools(
  client: Pick<Client, "listTools">,
  options: { signal: AbortSignal; timeout: number },
): Promise<Result<readonly McpTool[]>> {
  const tools: McpTool[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= maxPages; page += 1) {
    // The SDK never takes its listeners off again, and Node.js warns of many on one signal.
    const listed = await withAnySignal([options.signal], (signal) =>
      client.listTools(cursor === undefined ? {} : { cursor }, { ...options, signal }),
    );
    for (const { name, description, inputSchema, outputSchema, annotations, execution } of listed.tools) {
      // Such a tool answers with a task to be asked after, which no agent that calls tools can do.
      if (execution?.taskSupport === "required") continue;
      const isReadOnly = annotations?.readOnlyHint === true;
      tools.push({
        name,
        ...(description === undefined ? {} : { description }),
        parameters: asObject(inputSchema),
        ...(outputSchema === undefined ? {} : { output: asObject(outputSchema) }),
        attributes: { readonly: isReadOnly, no_effect: isReadOnly },
      });
    }
    cursor = listed.nextCursor;
    if (cursor === undefined) return success(tools);
  }
  return failure(kindlmError("ENGINE_FIXTURE_ERROR", `its list of tools has no end after ${maxPages} pages`));
}

function asObject(schema: unknown): JsonObject {
  const value = toJsonValue(schema);
  return isRecord(value) ? value : {};
}
