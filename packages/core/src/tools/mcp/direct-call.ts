import type { JsonObject } from "../../values/json.js";

/** What a server can be asked to list, with the method of the protocol. */
export const listMethods = {
  tools: "tools/list",
  resources: "resources/list",
  resource_templates: "resources/templates/list",
  prompts: "prompts/list",
} as const;
export type McpList = keyof typeof listMethods;

/** The key under which a server answers with the list. */
export const listKeys = {
  tools: "tools",
  resources: "resources",
  resource_templates: "resourceTemplates",
  prompts: "prompts",
} as const satisfies Record<McpList, string>;

/** A request to a server under test, which it gets as it is. `output`: the JSON Schema that it lists for the result. */
export type DirectCall =
  | { kind: "tool"; name: string; args: Record<string, unknown>; output?: JsonObject }
  | { kind: "resource"; uri: string }
  | { kind: "prompt"; name: string; args: Readonly<Record<string, unknown>> }
  | { kind: "list"; list: McpList };

/** The name under which a call is recorded: that of the tool, or the method of the protocol. */
export function recordedName(call: DirectCall): string {
  switch (call.kind) {
    case "tool":
      return call.name;
    case "resource":
      return "resources/read";
    case "prompt":
      return "prompts/get";
    case "list":
      return listMethods[call.list];
  }
}
