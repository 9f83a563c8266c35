import { findBuiltin } from "../../tools/builtin/registry.js";
import type {
  BuiltinToolConfig,
  CommandToolConfig,
  HttpToolConfig,
  McpServerConfig,
  ModuleToolConfig,
  RealToolSettings,
  SimulatedToolConfig,
  ToolConfig,
  ToolSettings,
} from "../../tools/tool-config.js";
import {
  ignored,
  ofAgent,
  ofSetup,
  partOf,
  type Fields,
  type FieldParts,
  type IdentityPart,
} from "../../config/settings/field-parts.js";
import type { IdentityView } from "./identity-view.js";

/** The description of a tool for the model is part of the agent; what the tool does belongs to the setup. */
const sharedFields: Fields<ToolSettings> = {
  name: ofAgent,
  description: ofAgent,
  prompt: ofAgent,
  parameters: ofAgent,
  resultSchema: ofSetup,
  attributes: ofSetup,
  recommendations: ofSetup,
  timeoutMs: ofSetup,
};

const realFields: Fields<RealToolSettings> = { ...sharedFields, fallback: ofSetup };

const simulated: Fields<SimulatedToolConfig> = {
  ...sharedFields,
  kind: ofSetup,
  responses: ofSetup,
  default: ofSetup,
};

const overrides: Fields<ModuleToolConfig["overrides"]> = {
  description: ofAgent,
  prompt: ofAgent,
  parameters: ofAgent,
  resultSchema: ofSetup,
  attributes: ofSetup,
  recommendations: ofSetup,
  timeoutMs: ofSetup,
  fallback: ofSetup,
};

const builtin: Fields<BuiltinToolConfig> = {
  kind: ofSetup,
  name: ignored,
  // What the model reads of them changes with KindLM.
  names: {
    agent: (names) =>
      names.map((name) => {
        const { description, parameters } = findBuiltin(name) ?? {};
        return [name, description, parameters];
      }),
  },
  overrides: ofSetup,
};

export interface ToolParts {
  ofTool(tool: ToolConfig, part: IdentityPart): unknown;
  ofServer(server: McpServerConfig, part: IdentityPart): unknown;
}

export function createToolParts(view: IdentityView): ToolParts {
  const masked: FieldParts<unknown> = { setup: view.withoutSecrets };
  const place: FieldParts<string> = { setup: view.placeOf };
  // A module, like a server, both describes its tools and runs them.
  const ofFile = (_file: string, tool: ModuleToolConfig): unknown => view.contentsOf(view.files.ofTool(tool));
  const module: Fields<ModuleToolConfig> = {
    kind: ofSetup,
    file: { agent: ofFile, setup: ofFile },
    exportName: { ...ofAgent, ...ofSetup },
    name: ofAgent,
    overrides: {
      agent: (value) => partOf(value, overrides, "agent"),
      setup: (value) => partOf(value, overrides, "setup"),
    },
  };
  const command: Fields<CommandToolConfig> = {
    ...realFields,
    kind: ofSetup,
    command: { setup: (line, tool) => [view.lineOf(line), view.contentsOf(view.files.ofTool(tool))] },
    cwd: place,
    env: masked,
  };
  const http: Fields<HttpToolConfig> = {
    ...realFields,
    kind: ofSetup,
    url: { setup: view.addressOf },
    method: ofSetup,
    headers: masked,
    body: masked,
    responsePath: ofSetup,
  };
  const server = serverFieldsOf(view);
  return {
    ofTool(tool, part) {
      switch (tool.kind) {
        case "simulated":
          return partOf(tool, simulated, part);
        case "module":
          return partOf(tool, module, part);
        case "command":
          return partOf(tool, command, part);
        case "http":
          return partOf(tool, http, part);
        case "builtin":
          return partOf(tool, builtin, part);
      }
    },
    ofServer: (one, part) => partOf(one, server, part),
  };
}

function serverFieldsOf(view: IdentityView): Fields<McpServerConfig> {
  const ofConnection = (connection: McpServerConfig["connection"], owner: McpServerConfig): unknown => {
    if (connection.kind === "http") {
      return { url: view.addressOf(connection.url), headers: view.withoutSecrets(connection.headers) };
    }
    const { command: line, cwd, env } = connection;
    const files = view.contentsOf(view.files.ofServer(owner));
    return { line: view.lineOf(line), cwd: view.placeOf(cwd), env: view.withoutSecrets(env), files };
  };
  return {
    name: ignored,
    connection: { agent: ofConnection, setup: ofConnection },
    include: ofAgent,
    exclude: ofAgent,
    per: ofSetup,
    timeoutMs: ofSetup,
    fallbacks: ofSetup,
  };
}
