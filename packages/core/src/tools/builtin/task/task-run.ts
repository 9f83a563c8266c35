import { isRecord, type JsonObject } from "../../../values/json.js";
import { paramsToSchema } from "../../param-definition.js";
import type { HandlerContext } from "../../tool-handler.js";
import type { BuiltinSession } from "../builtin-session.js";
import { refuse, type BuiltinTool } from "../builtin-tool.js";

interface TaskArgs {
  description: string;
  prompt: string;
  agentTemplateId: string;
  context?: string;
  model?: string | { provider: string; model: string };
}

/** A name, or a name and its provider: what a short definition of parameters cannot say. */
const modelSchema: JsonObject = {
  description: "Another model for it: the name of one at your provider, or a provider and a model",
  anyOf: [
    { type: "string" },
    {
      type: "object",
      properties: { provider: { type: "string" }, model: { type: "string" } },
      required: ["provider", "model"],
      additionalProperties: false,
    },
  ],
};

const { properties, ...params } = paramsToSchema({
  description: { type: "string", description: "The task in three to five words" },
  prompt: { type: "string", description: "What the sub-agent is to do and to return, in detail" },
  agentTemplateId: { type: "string", description: "ID of the template of the sub-agent" },
  context: { type: "string", required: false, description: "What else it has to know" },
});

export const taskRun: BuiltinTool = {
  name: "task_run",
  needsName: true,
  isUntimed: true,
  needsWorkspace: false,
  description:
    "Delegates a task to a sub-agent and returns its answer.\n\nThe sub-agent sees nothing of this conversation: write all that it has to know into prompt and context. It works in the same workspace, with its own tools. Delegate work that takes several steps, not single calls.",
  describe({ delegate }) {
    if (delegate === null) return "";
    const lines = delegate.templates.map(({ id, whenToUse }) => `- ${id}${whenToUse === null ? "" : `: ${whenToUse}`}`);
    return `\n\nTemplates:\n${lines.join("\n")}`;
  },
  parameters: { ...params, properties: { ...(isRecord(properties) ? properties : {}), model: modelSchema } },
  attributes: { readonly: false, no_effect: false },
  async run(args: TaskArgs, { ports: { delegate } }: BuiltinSession, context: HandlerContext) {
    if (delegate === null) return refuse("There is no template of a sub-agent");
    const { agentTemplateId: template, ...task } = args;
    return delegate.run({ ...task, template }, context);
  },
};
