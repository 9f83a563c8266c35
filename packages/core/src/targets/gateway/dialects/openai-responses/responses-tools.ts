import type { ToolDefinition } from "../../../../providers/provider.js";
import type { RequestedToolCall } from "../../../../transcript/message.js";
import { isRecord } from "../../../../values/json.js";
import { qualifiedName } from "../../../../values/plain-name.js";
import type { ResponsesTool } from "./responses-schema.js";

/** A tool as the agent knows it. */
export interface OwnTool {
  namespace: string | null;
  name: string;
  /** Its input is text instead of arguments. */
  isCustom: boolean;
}

/** The tools of a request under the names that they have for models of other APIs, and the way back. */
export class ResponsesTools {
  readonly definitions: readonly ToolDefinition[];
  readonly #own = new Map<string, OwnTool>();

  constructor(tools: readonly ResponsesTool[]) {
    this.definitions = tools.flatMap((tool) =>
      tool.type === "namespace"
        ? tool.tools.map((inner) => this.#define(inner, tool.name))
        : [this.#define(tool, null)],
    );
  }

  #define(tool: Exclude<ResponsesTool, { type: "namespace" }>, namespace: string | null): ToolDefinition {
    const isCustom = tool.type === "custom";
    let name = qualifiedName(namespace, tool.name);
    while (this.#own.has(name)) name += "_";
    this.#own.set(name, { namespace, name: tool.name, isCustom });
    const definition: ToolDefinition = { name, parameters: textInput };
    if (typeof tool.description === "string") definition.description = tool.description;
    if (tool.type === "custom") return definition;
    definition.parameters = tool.parameters ?? { type: "object", properties: {} };
    if (typeof tool.strict === "boolean") definition.strict = tool.strict;
    return definition;
  }

  /** The name under which a model knows a tool of the agent. */
  nameOf(namespace: string | null | undefined, name: string): string {
    for (const [known, own] of this.#own) if (own.name === name && own.namespace === (namespace ?? null)) return known;
    return qualifiedName(namespace, name);
  }

  /** The agent's own tool that a model calls. One that the agent did not declare is custom if all that it gets is text. */
  ownOf({ tool, args }: RequestedToolCall): OwnTool {
    const isText = isRecord(args) && typeof args["input"] === "string" && Object.keys(args).length === 1;
    return this.#own.get(tool) ?? { namespace: null, name: tool, isCustom: isText };
  }
}

const textInput = { type: "object", properties: { input: { type: "string" } }, required: ["input"] };
