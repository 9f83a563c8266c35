import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { deserializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { CallToolResultSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import { attempt } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import type { ImportModule } from "../../modules/import-module.js";
import type { Result } from "../../result.js";

/** What is used of the official SDK. */
export interface McpSdk {
  Client: typeof Client;
  StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport;
  deserializeMessage: typeof deserializeMessage;
  CallToolResultSchema: typeof CallToolResultSchema;
  McpError: typeof McpError;
}

export const mcpPackage = "@modelcontextprotocol/sdk";
const modules = ["client/index.js", "client/streamableHttp.js", "shared/stdio.js", "types.js"];

/** Loads the SDK, an optional peer. Fails with ENGINE_FIXTURE_ERROR, naming the command that installs it. */
export async function loadMcpSdk(importModule: ImportModule): Promise<Result<McpSdk>> {
  return attempt(
    async () => {
      const loaded = await Promise.all(modules.map((name) => importModule(`${mcpPackage}/${name}`)));
      const sdk: unknown = Object.assign({}, ...loaded);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the modules of a package whose types say so
      return sdk as McpSdk;
    },
    (cause) => {
      const isMissing = cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
      const message = isMissing
        ? `MCP servers need the package ${mcpPackage}. Run: npm install --save-dev ${mcpPackage}`
        : `${mcpPackage} cannot be loaded: ${messageOf(cause)}`;
      return kindlmError("ENGINE_FIXTURE_ERROR", message, { cause });
    },
  );
}
