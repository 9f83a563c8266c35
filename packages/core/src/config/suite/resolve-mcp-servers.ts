import path from "node:path";
import type { McpServerConfig } from "../../tools/tool-config.js";
import { report, type Section } from "../source/section.js";
import { expandSettings, programIn } from "./expand-settings.js";
import type { SuiteScope } from "./suite-scope.js";

/**
 * `mcp_servers:` of a suite or test with paths and environment filled in; `earlier` are those of the suite. What is
 * wrong is reported.
 */
export function resolveMcpServers(
  section: Section,
  written: readonly McpServerConfig[] | undefined,
  scope: Pick<SuiteScope, "env" | "secretNames">,
  earlier: readonly McpServerConfig[] = [],
): readonly McpServerConfig[] {
  if (written === undefined) return earlier;
  const folder = path.dirname(section.document.source.path);
  const servers = [...earlier];
  for (const [index, server] of written.entries()) {
    const at = ["mcp_servers", index];
    if (servers.some(({ name }) => name === server.name)) {
      const message = `The MCP server name "${server.name}" is already used in this test`;
      report(section, { path: [...at, "name"], message, hint: "Give each server a unique name" });
    }
    const { connection } = server;
    if (connection.kind === "stdio") {
      const { command, env } = expandSettings(section, at, { command: connection.command, env: connection.env }, scope);
      const cwd = path.resolve(folder, connection.cwd);
      servers.push({ ...server, connection: { kind: "stdio", command: programIn(folder, command), cwd, env } });
      continue;
    }
    const { url, headers } = expandSettings(section, at, { url: connection.url, headers: connection.headers }, scope);
    const isAddress = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
    if (!isAddress && !section.findings.hasErrors) {
      report(section, { path: [...at, "url"], message: `"${url}" is not an HTTP address` });
    }
    servers.push({ ...server, connection: { kind: "http", url, headers } });
  }
  return servers;
}
